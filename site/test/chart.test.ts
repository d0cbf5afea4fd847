import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHTML } from "linkedom";
import { apart } from "../src/chart";
import type { Axis, Chart } from "../src/document";
import { inPlainColours, pictureOf } from "../src/svg";

const ticksOf = (...values: number[]) => values.map((value) => ({ value, label: `${value} ms` }));

test("a tick whose label would touch the one before has none", () => {
  const axis: Axis = { scale: "log", domain: [1, 100], ticks: ticksOf(1, 2, 5, 10, 100) };
  const shown = (widthPx: number) => apart(axis, widthPx).map((tick) => tick.value);
  assert.deepEqual(shown(800), [1, 2, 5, 10, 100]);
  assert.deepEqual(shown(200), [1, 5, 100]);
});

const { document } = parseHTML("<!doctype html><html><body></body></html>");
const CHART: Chart = {
  title: "time & <more>",
  description: "two dots",
  height_px: 64,
  legend: Array.from({ length: 9 }, (_, index) => ({
    label: `a contestant with a long name ${index}`,
    colour: "var(--accent)",
    shape: index % 2 ? "ring" : "line",
  })),
  x: { scale: "log", domain: [0.9, 30], ticks: ticksOf(1, 5, 20) },
  y: {
    scale: "names",
    domain: ["a", "b+c"],
    ticks: [
      { value: "a", label: "a" },
      { value: "b+c", label: "b\n+c" },
    ],
  },
  marks: [
    {
      kind: "dot",
      rows: [
        { x: 1, y: "a", title: "one" },
        { x: 9, y: "b+c", title: "two" },
      ],
      options: { x: "x", y: "y", title: "title", fill: "var(--accent)" },
    },
  ],
  table: [],
};

test("a picture has title, legend, labels and marks, in constant colours", () => {
  const svg = pictureOf(CHART, document as unknown as Document);
  const root = new (parseHTML("").DOMParser)().parseFromString(svg, "image/svg+xml");
  const texts = [...root.querySelectorAll("text")].map((text) => text.textContent);
  assert.ok(texts.includes("time & <more>"));
  assert.ok(["1 ms", "5 ms", "20 ms", "a"].every((label) => texts.includes(label)));
  assert.equal(root.querySelectorAll('[aria-label="dot"] circle').length, 2);
  assert.ok(!svg.includes("var("));
  assert.equal(svg.match(/http/g)?.length, svg.match(/http:\/\/www\.w3\.org\//g)?.length);
});

test("a long legend wraps within the width", () => {
  const svg = pictureOf(CHART, document as unknown as Document);
  const places = [...svg.matchAll(/translate\((\d+),(\d+)\)"><(?:path|circle)/g)];
  assert.equal(places.length, 9);
  assert.ok(new Set(places.map((place) => place[2])).size > 1);
  assert.ok(places.every((place) => Number(place[1]) < 700));
});

test("an unknown variable stays", () => {
  assert.equal(inPlainColours("var(--other) var(--paper)"), "var(--other) #ffffff");
});
