/**
 * Dragging by mouse, touch and pen: a card follows the pointer, and dropped on another one changes places with it. While it
 * moves, only its own style changes, so a frame of it costs next to nothing.
 */

const SLACK = 6; // pixels that a tap may move

interface Ends {
  /** A card was pressed and let go where it was. */
  readonly onTap: (place: number) => void;
  readonly onDrop: (from: number, to: number) => void;
}

const placeOf = (element: Element | null): number | null => {
  const held = element?.closest<HTMLElement>("[data-place]");
  return held == null ? null : Number(held.dataset["place"]);
};

/** An attachment for the element that the cards, each with `data-place`, stand in. */
export function dragging(ends: Ends): (board: HTMLElement) => () => void {
  return (board) => {
    let held: { card: HTMLElement; from: number; pointer: number; x: number; y: number } | null = null;
    let over: HTMLElement | null = null;
    let moves = false;

    const point = (target: HTMLElement | null): void => {
      if (target !== over) {
        over?.classList.remove("over");
        target?.classList.add("over");
        over = target;
      }
    };
    const release = (): void => {
      if (held !== null) {
        held.card.classList.remove("dragged");
        held.card.style.translate = "";
      }
      point(null);
      held = null;
      moves = false;
    };
    const down = (event: PointerEvent): void => {
      const card = (event.target as Element).closest<HTMLElement>("[data-place]");
      if (held !== null || card === null || event.button !== 0) {
        return;
      }
      held = {
        card,
        from: Number(card.dataset["place"]),
        pointer: event.pointerId,
        x: event.clientX,
        y: event.clientY,
      };
      card.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent): void => {
      if (held === null || event.pointerId !== held.pointer) {
        return;
      }
      const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
      if (!moves && Math.hypot(dx, dy) < SLACK) {
        return;
      }
      moves = true;
      held.card.classList.add("dragged");
      held.card.style.translate = `${dx}px ${dy}px`;
      const below = document
        .elementsFromPoint(event.clientX, event.clientY)
        .map((one) => one.closest<HTMLElement>("[data-place]"));
      point(below.find((one) => one !== null && one !== held?.card) ?? null);
    };
    const up = (event: PointerEvent): void => {
      if (held === null || event.pointerId !== held.pointer) {
        return;
      }
      const [from, to, moved] = [held.from, placeOf(over), moves];
      release();
      if (!moved) {
        ends.onTap(from);
      } else if (to !== null) {
        ends.onDrop(from, to);
      }
    };
    board.addEventListener("pointerdown", down);
    board.addEventListener("pointermove", move);
    board.addEventListener("pointerup", up);
    board.addEventListener("pointercancel", release);
    return () => {
      board.removeEventListener("pointerdown", down);
      board.removeEventListener("pointermove", move);
      board.removeEventListener("pointerup", up);
      board.removeEventListener("pointercancel", release);
    };
  };
}
