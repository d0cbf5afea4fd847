import {
  axisX,
  axisY,
  barX,
  dot,
  gridX,
  gridY,
  lineY,
  type Markish,
  plot,
  rect,
  ruleX,
  ruleY,
  type ScaleOptions,
  text,
  tickX,
} from "@observablehq/plot";
import type { Axis, Chart, ChartMark, Tick } from "./document";

/** Upper estimate of a letter's width, so that no label is cut off. */
const LETTER_PX = 6.8;

const FONT_PX = 12;
const EDGE_PX = 16;
const TICKS_PX = 26;
const TURNED_PX = 120;

/** Height of a chart with its axis. */
export function heightOf(chart: Chart): number {
  return chart.height_px + EDGE_PX + (chart.x.scale === "names" ? TURNED_PX : TICKS_PX);
}

/** Draw a chart as SVG; colours are variables of the style sheet. */
export function draw(chart: Chart, widthPx: number, document?: Document): SVGSVGElement {
  const labels = chart.y.ticks.flatMap((tick) => tick.label.split("\n"));
  const left = EDGE_PX + LETTER_PX * Math.max(0, ...labels.map((label) => label.length));
  const innerPx = widthPx - left - EDGE_PX;
  const isTurned = chart.x.scale === "names";
  const ticks = isTurned ? chart.x.ticks : apart(chart.x, innerPx);
  return plot({
    document,
    width: widthPx,
    height: heightOf(chart),
    marginLeft: left,
    marginRight: EDGE_PX,
    marginTop: EDGE_PX,
    marginBottom: isTurned ? TURNED_PX : TICKS_PX,
    style: { fontSize: `${FONT_PX}px`, fontFamily: "inherit", background: "none" },
    x: scaleOf(chart.x, "point"),
    y: scaleOf(chart.y, "band"),
    color: { type: "identity" },
    r: { type: "identity" },
    symbol: { type: "identity" },
    opacity: { type: "identity" },
    marks: [
      chart.x.has_grid === false ? null : gridX(valuesOf(ticks), GRID),
      chart.y.has_grid === false ? null : gridY(valuesOf(chart.y.ticks), GRID),
      axisX(valuesOf(ticks), {
        ...AXIS,
        text: labelsOf(ticks),
        tickRotate: isTurned ? -40 : 0,
      }),
      axisY(valuesOf(chart.y.ticks), { ...AXIS, text: labelsOf(chart.y.ticks) }),
      ...chart.marks.map((mark) => markOf(mark, document === undefined)),
    ],
  }) as SVGSVGElement;
}

const MARKS = { barX, dot, lineY, rect, ruleX, ruleY, text, tickX };
const GRID = { stroke: "var(--faint)", strokeOpacity: 1 };
const AXIS = { tickSize: 0, label: null, fill: "var(--muted)" };

function scaleOf(axis: Axis, ofNames: "point" | "band"): ScaleOptions {
  if (axis.scale !== "names") return { type: axis.scale, domain: axis.domain, label: null };
  return { type: ofNames, domain: axis.domain, padding: ofNames === "band" ? 0 : 0.5, label: null };
}

function markOf(mark: ChartMark, hasTips: boolean): Markish {
  const create = MARKS[mark.kind] as (rows: object[], options: object) => Markish;
  const tip = hasTips && "title" in mark.options ? { tip: true } : {};
  return create([...mark.rows], { ...mark.options, ...tip });
}

function valuesOf(ticks: readonly Tick[]): (number | string)[] {
  return ticks.map((tick) => tick.value);
}

function labelsOf(ticks: readonly Tick[]): string[] {
  return ticks.map((tick) => tick.label);
}

/** The ticks whose labels do not touch the one before. */
export function apart(axis: Axis, innerPx: number): Tick[] {
  const place = (value: number) => (axis.scale === "log" ? Math.log(value) : value);
  const [low, high] = [place(Number(axis.domain[0])), place(Number(axis.domain.at(-1)))];
  let endPx = Number.NEGATIVE_INFINITY;
  return axis.ticks.filter((tick) => {
    const middlePx = (innerPx * (place(Number(tick.value)) - low)) / (high - low || 1);
    const halfPx = (LETTER_PX * tick.label.length) / 2;
    const isFree = middlePx - halfPx > endPx;
    if (isFree) endPx = middlePx + halfPx + LETTER_PX;
    return isFree;
  });
}
