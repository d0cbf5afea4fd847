import type { Block } from "./document";

declare global {
  /** What a file of details sets. */
  var autostradaDetails: readonly (readonly Block[])[] | undefined;
}

const loaded = new Map<string, Promise<readonly (readonly Block[])[]>>();

/** The details of each row of a table, from a script: it can be loaded without a server, too. */
export function detailsIn(url: string): Promise<readonly (readonly Block[])[]> {
  const found = loaded.get(url) ?? load(url);
  loaded.set(url, found);
  return found;
}

function load(url: string): Promise<readonly (readonly Block[])[]> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => resolve(globalThis.autostradaDetails ?? []);
    script.onerror = () => {
      loaded.delete(url);
      reject(new Error(`${url} cannot be read`));
    };
    document.head.append(script);
  });
}
