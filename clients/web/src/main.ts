import "./app.css";

import { mount } from "svelte";

import { showRegions } from "./announcing";
import App from "./App.svelte";
import { attend } from "./connection/attending.svelte";
import { connection } from "./connection/connection.svelte";

connection.onview = attend;
showRegions(document.body);

const target = document.getElementById("app");
if (target !== null) {
  mount(App, { target });
}
