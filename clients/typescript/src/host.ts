/** What protobuf asks of a host, for engines that lack it; imported before any message is. */

import { configureTextEncoding } from "@bufbuild/protobuf/wire";
import { text, utf8 } from "referee-verifier/protocol";

if (typeof TextEncoder !== "function" || typeof TextDecoder !== "function") {
  configureTextEncoding({
    encodeUtf8: (letters) => utf8(letters) as Uint8Array<ArrayBuffer>,
    decodeUtf8: (bytes) => text(bytes),
    checkUtf8: (letters) => !/[\ud800-\udfff]/u.test(letters),
  });
}
