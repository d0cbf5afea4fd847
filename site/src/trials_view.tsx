import { useState } from "preact/hooks";
import { loadScript } from "./details";
import type { Table, Trials } from "./document";
import { TableView } from "./table";

/** Where this script is; the reader of Parquet files stands beside it. */
const HERE = (document.currentScript as HTMLScriptElement | null)?.src;

const NO_SERVER =
  "A browser reads them only from a server: run python3 -m http.server in the folder of the site.";

/** The trials of a cell, which are read once they are asked for. */
export function TrialsView({ trials }: { trials: Trials }) {
  const [table, setTable] = useState<Table>();
  const [note, setNote] = useState("");
  const open = async () => {
    if (location.protocol === "file:") return setNote(NO_SERVER);
    setNote("loading …");
    try {
      const url = new URL("parquet.js", HERE).href;
      const read = await loadScript(url, () => globalThis.autostradaTrials);
      setTable(await read?.(trials));
    } catch (error) {
      setNote(`${trials.data} cannot be read: ${(error as Error).message}.`);
    }
  };
  return (
    <details onToggle={(event) => event.currentTarget.open && !table && open()}>
      <summary>single trials</summary>
      {table ? (
        <TableView table={table} />
      ) : (
        <p class="note" role="status">
          {note}
        </p>
      )}
    </details>
  );
}
