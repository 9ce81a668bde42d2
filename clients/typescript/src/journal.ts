/**
 * The journal of a frontend's rounds: what it must not lose when its process ends. One record a
 * table, that of its newest round, replaced whole and durable before the call leaves that it is
 * about. A record holds the secrets of the seats that play through the client.
 */

/** Keeps records of rounds under way; a record is a text. */
export interface Journal {
  /** Replace the table's record durably; leave it where it is of a later round. */
  save(table: string, roundNumber: number, record: string): Promise<void>;
  /** The table's record; undefined if it has none. */
  load(table: string): Promise<string | undefined>;
  /** Delete the table's record if it is of this round. */
  forget(table: string, roundNumber: number): Promise<void>;
  /** The tables that have a record, in order of their names. */
  tables(): Promise<readonly string[]>;
}

interface Row {
  readonly table: string;
  readonly roundNumber: number;
  readonly record: string;
}

const STORE = "rounds";

/** A journal in the browser's IndexedDB, for a page that a reload or a crash may end. */
export class BrowserJournal implements Journal {
  readonly #database: Promise<IDBDatabase>;

  /** `name` is that of the database, which is made where there is none. */
  constructor(name = "referee-rounds") {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(STORE, { keyPath: "table" });
    };
    this.#database = done(opening);
  }

  async save(table: string, roundNumber: number, record: string): Promise<void> {
    await this.#write(table, (row, store) => {
      if (row === undefined || row.roundNumber <= roundNumber) {
        store.put({ table, roundNumber, record });
      }
    });
  }

  async load(table: string): Promise<string | undefined> {
    const store = (await this.#database).transaction(STORE).objectStore(STORE);
    return ((await done(store.get(table))) as Row | undefined)?.record;
  }

  async forget(table: string, roundNumber: number): Promise<void> {
    await this.#write(table, (row, store) => {
      if (row?.roundNumber === roundNumber) {
        store.delete(table);
      }
    });
  }

  async tables(): Promise<readonly string[]> {
    const store = (await this.#database).transaction(STORE).objectStore(STORE);
    return (await done(store.getAllKeys())).map(String).sort();
  }

  /** Read a row and change the store in one transaction, durable once this resolves. */
  async #write(table: string, change: (row: Row | undefined, store: IDBObjectStore) => void): Promise<void> {
    const writing = (await this.#database).transaction(STORE, "readwrite", { durability: "strict" } as const);
    const store = writing.objectStore(STORE);
    const reading = store.get(table);
    reading.onsuccess = () => change(reading.result as Row | undefined, store);
    await new Promise<void>((resolve, reject) => {
      writing.oncomplete = () => resolve();
      writing.onabort = () => reject(writing.error ?? new Error("the journal was not written"));
    });
  }
}

/** The result of a request to IndexedDB. */
export function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser gave no answer"));
  });
}
