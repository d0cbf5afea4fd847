import { axisX, axisY, dot, gridX, gridY, plot, ruleX, ruleY, text } from "@observablehq/plot";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Table, TableCell, TableRow } from "./document";
import { textOf } from "./rows";

/** Number of points up to which each has its name beside it. */
const NAMED_MAX = 40;

/** Factor between the largest and the smallest value from which an axis is logarithmic. */
const LINEAR_FACTOR_MAX = 30;

const HEIGHT_PX = 420;

export interface Point {
  row: TableRow;
  name: string;
  x: number;
  y: number;
  title: string;
  xLow: number;
  xHigh: number;
  yLow: number;
  yHigh: number;
}

interface ScatterProps {
  table: Table;
  rows: readonly TableRow[];
  onBrush: (rows: ReadonlySet<TableRow> | null) => void;
}

/** Two metrics of the shown rows; dragging over points chooses their rows. */
export function Scatter({ table, rows, onBrush }: ScatterProps) {
  const metrics = table.columns.flatMap((column, index) => (column.unit ? [index] : []));
  const [[x, y], setAxes] = useState<[number, number]>([metrics[1] ?? 0, metrics[2] ?? 0]);
  const place = useRef<HTMLDivElement>(null);
  const points = pointsOf(rows, x, y);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const drawn = draw(points, [table, x, y], element.clientWidth);
    drawn.setAttribute("aria-hidden", "true");
    element.replaceChildren(drawn);
    return brushed(drawn, points, onBrush);
  }, [table, rows, x, y]);
  const choice = (title: string, value: number, choose: (index: number) => void) => (
    <label>
      {title}{" "}
      <select value={value} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {metrics.map((index) => (
          <option value={index} key={index}>
            {titleOf(table, index)}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <p class="filters">
        {choice("across", x, (index) => setAxes([index, y]))}
        {choice("up", y, (index) => setAxes([x, index]))}
        <span>{points.length} points; drag over some to choose their rows</span>
        <button type="button" onClick={() => onBrush(null)}>
          all rows
        </button>
      </p>
      <div
        class="chart brush"
        ref={place}
        role="img"
        aria-label={`${titleOf(table, y)} over ${titleOf(table, x)}; the table has the values`}
      />
    </>
  );
}

export function pointsOf(rows: readonly TableRow[], x: number, y: number): Point[] {
  return rows.flatMap((row) => {
    const [across, up] = [row.cells[x], row.cells[y]];
    const [xValue, yValue] = [positive(across, "value"), positive(up, "value")];
    if (xValue === null || yValue === null) return [];
    const name = textOf(row.cells[0]);
    return [
      {
        row,
        name,
        x: xValue,
        y: yValue,
        title: `${name}\n${textOf(across)}\n${textOf(up)}`,
        xLow: positive(across, "low") ?? xValue,
        xHigh: positive(across, "high") ?? xValue,
        yLow: positive(up, "low") ?? yValue,
        yHigh: positive(up, "high") ?? yValue,
      },
    ];
  });
}

/** A number of a cell that a logarithmic axis can show. */
function positive(
  cell: TableCell | string | undefined,
  name: "value" | "low" | "high",
): number | null {
  const value = typeof cell === "object" ? cell[name] : null;
  return value != null && value > 0 ? value : null;
}

type Drawn = (SVGSVGElement | HTMLElement) & {
  scale: (name: "x" | "y") => { invert?: (px: number) => number } | undefined;
};

function draw(points: Point[], [table, x, y]: [Table, number, number], widthPx: number): Drawn {
  const scaleOf = (values: number[]) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return high / low > LINEAR_FACTOR_MAX
      ? ({ type: "log", label: null } as const)
      : ({ type: "linear", label: null, nice: true } as const);
  };
  const axis = (index: number) => ({
    label: titleOf(table, index),
    tickFormat: (value: number) => written(value, table.columns[index]?.unit ?? ""),
    tickSize: 0,
    fill: "var(--muted)",
  });
  const grid = { stroke: "var(--faint)", strokeOpacity: 1 };
  const interval = { stroke: "var(--accent)", strokeOpacity: 0.35, strokeWidth: 3 };
  const isNamed = points.length <= NAMED_MAX;
  return plot({
    width: widthPx,
    height: HEIGHT_PX,
    marginLeft: 72,
    marginBottom: 40,
    marginRight: 90,
    style: { fontSize: "12px", fontFamily: "inherit", background: "none" },
    x: scaleOf(points.map((point) => point.x)),
    y: scaleOf(points.map((point) => point.y)),
    marks: [
      gridX(grid),
      gridY(grid),
      axisX(axis(x)),
      axisY(axis(y)),
      ruleX(points, { x: "x", y1: "yLow", y2: "yHigh", ...interval }),
      ruleY(points, { y: "y", x1: "xLow", x2: "xHigh", ...interval }),
      dot(points, { x: "x", y: "y", fill: "var(--accent)", title: "title", tip: true }),
      isNamed
        ? text(points, {
            x: "x",
            y: "y",
            text: "name",
            dx: 8,
            textAnchor: "start",
            fill: "var(--ink)",
          })
        : null,
    ],
  }) as Drawn;
}

/** A value with the prefix and unit that a person reads: 1.2 M, 3 MiB, 40 µs. */
export function written(value: number, unit: string): string {
  const steps: readonly [number, string][] = UNITS[unit] ?? [[1, ` ${unit}`]];
  const [size, name] = steps.find(([size]) => value >= size) ?? steps.at(-1) ?? [1, ""];
  return `${Number((value / size).toPrecision(3))}${name}`;
}

const UNITS: Readonly<Record<string, readonly [number, string][]>> = {
  per_s: [
    [1e9, " G/s"],
    [1e6, " M/s"],
    [1e3, " k/s"],
    [1, "/s"],
  ],
  bytes: [
    [2 ** 30, " GiB"],
    [2 ** 20, " MiB"],
    [2 ** 10, " KiB"],
    [1, " bytes"],
  ],
  us: [
    [1e6, " s"],
    [1e3, " ms"],
    [1, " µs"],
    [1e-3, " ns"],
  ],
  ms: [
    [1e3, " s"],
    [1, " ms"],
    [1e-3, " µs"],
  ],
};

function titleOf(table: Table, index: number): string {
  return table.columns[index]?.title.replaceAll("\n", " ") ?? "";
}

/** Report the rows of the points within a dragged rectangle; return what undoes it. */
function brushed(drawn: Drawn, points: Point[], onBrush: ScatterProps["onBrush"]): () => void {
  let begin: DOMPoint | null = null;
  const at = (event: PointerEvent) => {
    const box = drawn.getBoundingClientRect();
    return new DOMPoint(event.clientX - box.left, event.clientY - box.top);
  };
  const down = (event: PointerEvent) => {
    begin = at(event);
    drawn.setPointerCapture(event.pointerId);
  };
  const up = (event: PointerEvent) => {
    if (!begin) return;
    const end = at(event);
    const within = (name: "x" | "y") => {
      const places = [begin?.[name] ?? 0, end[name]];
      const [one, other] = places.map((px) => drawn.scale(name)?.invert?.(px) ?? 0);
      const [low, high] = [Math.min(one ?? 0, other ?? 0), Math.max(one ?? 0, other ?? 0)];
      return (point: Point) => low <= point[name] && point[name] <= high;
    };
    const [isAcross, isUp] = [within("x"), within("y")];
    const found = points.filter((point) => isAcross(point) && isUp(point));
    begin = null;
    if (found.length > 0) onBrush(new Set(found.map((point) => point.row)));
  };
  const listened = drawn as EventTarget;
  listened.addEventListener("pointerdown", down as EventListener);
  listened.addEventListener("pointerup", up as EventListener);
  return () => {
    listened.removeEventListener("pointerdown", down as EventListener);
    listened.removeEventListener("pointerup", up as EventListener);
  };
}
