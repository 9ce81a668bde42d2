/**
 * Announcements to screen readers. Two regions take turns, so that the same words twice are read twice. They lie outside of
 * everything that is drawn from state, so that an announcement never draws anything anew.
 */

const regions = [0, 1].map(() => {
  const region = document.createElement("div");
  region.className = "spoken";
  region.setAttribute("aria-live", "polite");
  return region;
});
let turn = 0;

/** Puts the regions into the page. */
export function showRegions(body: HTMLElement): void {
  body.append(...regions);
}

export function announce(text: string): void {
  regions[turn]?.replaceChildren();
  turn = 1 - turn;
  regions[turn]?.replaceChildren(text);
}
