import { useEffect, useMemo, useState } from "preact/hooks";
import { readAddress, writeAddress } from "./address";
import { Bar, largest } from "./bar";
import { BlockList } from "./blocks";
import { detailsIn } from "./details";
import type { Block, LinePanel, Table, TableCell, TableColumn, TableRow } from "./document";
import { csvOf, download, markdownOf } from "./download";
import { Facets } from "./facets";
import { keysOfRows } from "./keys";
import { chosen, matching, type Order, sorted } from "./rows";
import { Scatter } from "./scatter";
import { Ticks, ticked } from "./ticks";
import { addressOf, UNCHANGED, viewIn } from "./view";

/** Number of rows from which a table can be searched. */
const SEARCHED_MIN = 16;

/** Number of rows that are shown before all are asked for. */
const SHOWN_MAX = 25;

export function TableView({ table }: { table: Table }) {
  const isAddressed = table.columns.some((column) => column.facet);
  const [given] = useState(() => (isAddressed ? viewIn(readAddress(), table) : UNCHANGED));
  const [title, setTitle] = useState(given.order && table.columns[given.order.column]?.title);
  const [isDescending, setDescending] = useState(given.order?.isDescending ?? false);
  // A newer page may have more columns: the order follows its title.
  const column = table.columns.findIndex((each) => each.title === title);
  const order = useMemo(
    () => (column < 0 ? null : { column, isDescending }),
    [column, isDescending],
  );
  const [wanted, setWanted] = useState(given.wanted);
  const [choices, setChoices] = useState(given.choices);
  useEffect(() => {
    if (isAddressed) writeAddress(addressOf({ order, wanted, choices }, table));
  }, [table, order, wanted, choices]);
  const [isWhole, setWhole] = useState(false);
  const [brushed, setBrushed] = useState<ReadonlySet<TableRow> | null>(null);
  const [isDrawn, setDrawn] = useState(false);
  const matched = useMemo(
    () => matching(chosen(table.rows, choices), wanted),
    [table.rows, choices, wanted],
  );
  const found = useMemo(
    () => sorted(brushed ? matched.filter((row) => brushed.has(row)) : matched, order),
    [matched, brushed, order],
  );
  const shown = isWhole ? found : found.slice(0, SHOWN_MAX);
  const most = useMemo(() => largest(table.columns, found), [table.columns, found]);
  const [compared, setCompared] = useState<readonly string[]>([]);
  const isNarrowed = table.columns.some(({ kind }) => kind === "rank" || kind === "main");
  const keys = useMemo(() => keysOfRows(table), [table]);
  return (
    <>
      {table.caption && <p class="caption">{table.caption}</p>}
      {table.rows.length >= SEARCHED_MIN && (
        <search class="filters">
          <Facets table={table} choices={choices} onChoose={setChoices} />
          <label>
            search{" "}
            <input
              type="search"
              value={wanted}
              onInput={(event) => setWanted(event.currentTarget.value)}
            />
          </label>
          <span aria-live="polite">
            {found.length === table.rows.length
              ? `${found.length} rows`
              : `${found.length} of ${table.rows.length} rows`}
          </span>
        </search>
      )}
      {table.columns.filter((column) => column.unit).length > 2 && (
        <details open={isDrawn} onToggle={(event) => setDrawn(event.currentTarget.open)}>
          <summary>one metric over another</summary>
          {isDrawn && <Scatter table={table} rows={matched} onBrush={setBrushed} />}
        </details>
      )}
      {table.versus && <Ticks names={compared} versus={table.versus} />}
      <div class="scroll">
        <table class={isNarrowed ? "race" : "wide"} aria-label={table.caption || table.name}>
          <thead>
            <tr>
              {table.columns.map((column, index) => (
                <Head
                  key={column.title}
                  column={column}
                  order={order?.column === index ? order : null}
                  onSort={() => {
                    setTitle(column.title);
                    setDescending(order?.column === index && !isDescending);
                  }}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <RowView
                row={row}
                table={table}
                most={most}
                compared={compared}
                onCompare={(name) => setCompared(ticked(compared, name))}
                key={keys.get(row)}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p class="downloads">
        {shown.length < found.length && (
          <button type="button" onClick={() => setWhole(true)}>
            all {found.length} rows
          </button>
        )}
        <button type="button" onClick={() => download(`${table.name}.csv`, csvOf(found, table))}>
          CSV
        </button>
        <button
          type="button"
          onClick={() => download(`${table.name}.md`, markdownOf(found, table), "text/markdown")}
        >
          Markdown
        </button>
      </p>
    </>
  );
}

function Head(props: { column: TableColumn; order: Order | null; onSort: () => void }) {
  const { column, order, onSort } = props;
  if (column.kind === "hidden") return null;
  const direction = order?.isDescending ? "descending" : "ascending";
  return (
    <th scope="col" class={column.kind ?? "text"} aria-sort={order ? direction : "none"}>
      <button type="button" onClick={onSort}>
        {column.title || <span class="hidden">number</span>}
      </button>
    </th>
  );
}

interface RowProps {
  row: TableRow;
  table: Table;
  /** The largest number of each column that has bars. */
  most: readonly number[];
  compared: readonly string[];
  onCompare: (name: string) => void;
}

function RowView({ row, table, most, compared, onCompare }: RowProps) {
  const { columns } = table;
  const [isOpen, setOpen] = useState(false);
  const head = columns.findIndex((column) => column.kind !== "rank");
  return (
    <>
      <tr class={row.kind}>
        {row.cells.map((cell, index) => {
          const column = columns[index];
          if (!column || column.kind === "hidden") return null;
          const name = column.title.replaceAll("\n", " ");
          const shown = typeof cell === "string" ? { text: cell } : cell;
          const kind = `${column.kind ?? "text"} ${shown.text || shown.panel ? "" : "none"}`;
          const content = <CellView cell={shown} most={most[index] ?? 0} />;
          return index === head ? (
            <th scope="row" key={name}>
              {content}
              <span class="actions">
                {(row.details || table.details) && (
                  <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
                    why
                  </button>
                )}
                {table.versus && shown.link && (
                  <label>
                    <input
                      type="checkbox"
                      checked={compared.includes(shown.text)}
                      onChange={() => onCompare(shown.text)}
                    />{" "}
                    compare
                  </label>
                )}
              </span>
            </th>
          ) : (
            <td class={kind} data-label={name} title={shown.why} key={name}>
              {content}
            </td>
          );
        })}
      </tr>
      {(row.notes || isOpen) && (
        <tr class="note">
          <td colSpan={columns.length}>
            {row.notes && <BlockList blocks={row.notes} />}
            {isOpen && <DetailsView row={row} table={table} />}
          </td>
        </tr>
      )}
    </>
  );
}

/** What explains a row: its own, or those that stand in the file of its table. */
function DetailsView({ row, table }: { row: TableRow; table: Table }) {
  const [blocks, setBlocks] = useState<readonly Block[] | undefined>(row.details);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (!table.details) return;
    detailsIn(table.details).then(
      (details) => setBlocks(details[table.rows.indexOf(row)]),
      (error: Error) => setProblem(`${error.message}: reload the page.`),
    );
  }, [row, table]);
  if (problem) return <p class="failed">{problem}</p>;
  return blocks ? <BlockList blocks={blocks} /> : <p class="note">loading …</p>;
}

function CellView({ cell, most }: { cell: TableCell; most: number }) {
  if (cell.panel) return <PanelView panel={cell.panel} />;
  const text = cell.link ? <a href={cell.link}>{cell.text}</a> : cell.text;
  return (
    <>
      <span class={cell.kind}>{text}</span>
      {cell.detail && <small>{cell.detail}</small>}
      <Bar cell={cell} most={most} />
    </>
  );
}

function PanelView({ panel }: { panel: LinePanel }) {
  const most = panel.most.map(([process, text]) => `${process} at most ${text}`);
  return (
    <>
      <svg
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${panel.label}: ${most.join(", ")}`}
      >
        {panel.lines.map(([process, points]) => (
          <polyline class={process} points={points} key={process} />
        ))}
      </svg>
      <small>
        {panel.most.map(([process, text]) => (
          <span class={process} key={process}>
            {`${process} ${text} `}
          </span>
        ))}
      </small>
    </>
  );
}
