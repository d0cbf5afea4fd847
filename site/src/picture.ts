// Writes the chart of stdin, as JSON, to stdout as SVG: for documents that show no page.
import { readFileSync, writeFileSync } from "node:fs";
import { parseHTML } from "linkedom";
import type { Chart } from "./document";
import { pictureOf } from "./svg";

const chart = JSON.parse(readFileSync(0, "utf8")) as Chart;
const { document } = parseHTML("<!doctype html><html><body></body></html>");
writeFileSync(1, pictureOf(chart, document));
