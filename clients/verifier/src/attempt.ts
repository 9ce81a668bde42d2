/** What can fail in known ways, as a value. */

/** What `work` returns, or its error where that is of one of these kinds; any other error is thrown. */
export function attempt<Value, Kind extends Error>(
  work: () => Value,
  ...kinds: readonly (new (...facts: never[]) => Kind)[]
): Value | Kind {
  try {
    return work();
  } catch (error) {
    if (kinds.some((kind) => error instanceof kind)) {
      return error as Kind;
    }
    throw error;
  }
}
