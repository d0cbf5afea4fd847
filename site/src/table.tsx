import { useEffect, useMemo, useState } from "preact/hooks";
import { readAddress, writeAddress } from "./address";
import { BlockList } from "./blocks";
import type { LinePanel, Table, TableCell, TableColumn, TableRow } from "./document";
import { csvOf, download, markdownOf } from "./download";
import { type Choices, chosen, matching, type Order, sorted, textsOf } from "./rows";
import { Scatter } from "./scatter";
import { addressOf, UNCHANGED, viewIn } from "./view";

/** Number of rows from which a table can be searched. */
const SEARCHED_MIN = 16;

/** Number of rows that are shown before all are asked for. */
const SHOWN_MAX = 50;

export function TableView({ table }: { table: Table }) {
  const isAddressed = table.columns.some((column) => column.is_facet);
  const [given] = useState(() => (isAddressed ? viewIn(readAddress(), table) : UNCHANGED));
  const [order, setOrder] = useState(given.order);
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
  const isRanking = table.columns.some((column) => column.kind === "rank");
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
      <div class="scroll">
        <table class={isRanking ? "race" : "wide"} aria-label={table.caption || table.name}>
          <thead>
            <tr>
              {table.columns.map((column, index) => (
                <Head
                  key={column.title}
                  column={column}
                  order={order?.column === index ? order : null}
                  onSort={() =>
                    setOrder({
                      column: index,
                      isDescending: order?.column === index && !order.isDescending,
                    })
                  }
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <RowView row={row} columns={table.columns} key={row} />
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

interface FacetsProps {
  table: Table;
  choices: Choices;
  onChoose: (choices: Choices) => void;
}

/** A choice of one text for each facet, of those that the other choices leave. */
function Facets({ table, choices, onChoose }: FacetsProps) {
  const choose = (column: number, text: string) => {
    const changed = new Map(choices);
    if (text) changed.set(column, text);
    else changed.delete(column);
    onChoose(changed);
  };
  return (
    <>
      {table.columns.map((column, index) => {
        if (!column.is_facet) return null;
        const others = new Map([...choices].filter(([other]) => other !== index));
        return (
          <label key={column.title}>
            {column.title}{" "}
            <select
              value={choices.get(index) ?? ""}
              onChange={(event) => choose(index, event.currentTarget.value)}
            >
              <option value="">any</option>
              {textsOf(chosen(table.rows, others), index).map((text) => (
                <option value={text} key={text}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        );
      })}
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

function RowView({ row, columns }: { row: TableRow; columns: readonly TableColumn[] }) {
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
          const content = <CellView cell={shown} />;
          return index === head ? (
            <th scope="row" key={name}>
              {content}
              {row.details && (
                <button
                  type="button"
                  class="more"
                  aria-expanded={isOpen}
                  onClick={() => setOpen(!isOpen)}
                >
                  why
                </button>
              )}
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
            {isOpen && row.details && <BlockList blocks={row.details} />}
          </td>
        </tr>
      )}
    </>
  );
}

function CellView({ cell }: { cell: TableCell }) {
  if (cell.panel) return <PanelView panel={cell.panel} />;
  const text = cell.link ? <a href={cell.link}>{cell.text}</a> : cell.text;
  return (
    <>
      <span class={cell.kind}>{text}</span>
      {cell.detail && <small>{cell.detail}</small>}
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
