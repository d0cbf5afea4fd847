import type { Block } from "./document";

declare global {
  /** What a file of details sets. */
  var autostradaDetails: readonly (readonly Block[])[] | undefined;
}

const loaded = new Map<string, Promise<unknown>>();

/** The details of each row of a table, from a script: it can be loaded without a server, too. */
export function detailsIn(url: string): Promise<readonly (readonly Block[])[]> {
  return loadScript(url, () => globalThis.autostradaDetails ?? []);
}

/** What a script of the site has set; it is loaded once. */
export function loadScript<Value>(url: string, value: () => Value): Promise<Value> {
  const found = loaded.get(url) ?? load(url, value);
  loaded.set(url, found);
  return found as Promise<Value>;
}

function load<Value>(url: string, value: () => Value): Promise<Value> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => resolve(value());
    script.onerror = () => {
      loaded.delete(url);
      reject(new Error(`${url} cannot be read`));
    };
    document.head.append(script);
  });
}
