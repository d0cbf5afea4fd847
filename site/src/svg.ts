import { draw } from "./chart";
import type { Chart, Key } from "./document";
import STYLE from "./style.css";

const WIDTH_PX = 960;
const EDGE_PX = 16;
const LINE_PX = 20;
const MARK_PX = 18;
const GAP_PX = 20;
const LETTER_PX = 7;

/** Fonts of equal width: the one that draws and the one that displays may differ. */
const FONT = "Arial, Helvetica, Liberation Sans, sans-serif";

/** A chart as a standalone SVG file: title, legend and chart on a light background. */
export function pictureOf(chart: Chart, document: Document): string {
  const widthPx = WIDTH_PX - 2 * EDGE_PX;
  const [legend, lines] = legendOf(chart.legend ?? [], widthPx);
  const topPx = EDGE_PX + LINE_PX * (1 + lines) + LINE_PX / 2;
  const drawn = draw(chart, widthPx, document);
  drawn.setAttribute("x", `${EDGE_PX}`);
  drawn.setAttribute("y", `${topPx}`);
  const heightPx = topPx + Number(drawn.getAttribute("height")) + EDGE_PX;
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_PX}" height="${heightPx}"`,
    ` viewBox="0 0 ${WIDTH_PX} ${heightPx}" font-family="${FONT}" font-size="12">\n`,
    `<title>${escaped(chart.title)}</title>\n`,
    `<rect width="100%" height="100%" fill="var(--paper)"/>\n`,
    `<text x="${EDGE_PX}" y="${EDGE_PX + 12}" fill="var(--muted)">${escaped(chart.title)}</text>\n`,
    `<g transform="translate(${EDGE_PX},${EDGE_PX + LINE_PX})">\n${legend}</g>\n`,
    `${drawn.outerHTML}\n</svg>\n`,
  ].join("");
  return inPlainColours(svg);
}

/** The entries side by side, and the number of lines that they take. */
function legendOf(keys: readonly Key[], widthPx: number): [string, number] {
  let xPx = 0;
  let line = 1;
  const entries = keys.map((key) => {
    const entryPx = MARK_PX + LETTER_PX * key.label.length;
    if (xPx > 0 && xPx + entryPx > widthPx) {
      xPx = 0;
      line += 1;
    }
    const place = `translate(${xPx},${LINE_PX * line - 6})`;
    xPx += entryPx + GAP_PX;
    const label = `<text x="${MARK_PX}" fill="var(--ink)">${escaped(key.label)}</text>`;
    return `<g transform="${place}">${symbolOf(key)}${label}</g>\n`;
  });
  return [entries.join(""), keys.length > 0 ? line : 0];
}

function symbolOf({ shape, colour }: Key): string {
  const isHollow = shape === "ring" || shape === "hollow";
  const look = `fill="${isHollow ? "none" : colour}" stroke="${colour}" stroke-width="2"`;
  if (shape === "line") return `<path d="M0,-4h12" ${look}/>`;
  if (shape === "dot" || shape === "ring") return `<circle cx="6" cy="-4" r="4" ${look}/>`;
  return `<path d="M6,-9l5,5l-5,5l-5,-5z" ${look}/>`;
}

/** The text with the colours of light mode in place of the style sheet's variables. */
export function inPlainColours(text: string): string {
  const [light = ""] = STYLE.split("@media");
  const colours = new Map([...light.matchAll(/(--[a-z0-9-]+):\s*(#[0-9a-f]{3,6})/g)].map(pairOf));
  return text.replaceAll(/var\((--[a-z0-9-]+)\)/g, (whole, name: string) => {
    return colours.get(name) ?? whole;
  });
}

function pairOf([, name = "", colour = ""]: RegExpMatchArray): [string, string] {
  return [name, colour];
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
