import { useLayoutEffect, useRef } from "preact/hooks";
import { draw, heightOf } from "./chart";
import type { Chart, Figure, Key } from "./document";
import { csvOfChart, download, pngOf } from "./download";
import { useIsPrinted } from "./printing";
import { pictureOf } from "./svg";

/** How far outside of the window a chart is drawn. */
const AHEAD = "600px";

export function FigureView({ figure }: { figure: Figure }) {
  const { chart, name } = figure;
  return (
    <figure>
      <figcaption>{chart.title}</figcaption>
      {chart.legend && <Legend keys={chart.legend} />}
      <ChartView chart={chart} />
      <p class="downloads">
        <button
          type="button"
          onClick={() => download(`${name}.svg`, pictureOf(chart, document), "image/svg+xml")}
        >
          SVG
        </button>
        <button
          type="button"
          onClick={async () => {
            const png = await pngOf(pictureOf(chart, document));
            download(`${name}.png`, png, "image/png");
          }}
        >
          PNG
        </button>
        <button type="button" onClick={() => download(`${name}.csv`, csvOfChart(chart))}>
          CSV
        </button>
      </p>
    </figure>
  );
}

/** A chart as wide as its place; it is drawn when it comes near the window. */
function ChartView({ chart }: { chart: Chart }) {
  const place = useRef<HTMLDivElement>(null);
  const isPrinted = useIsPrinted();
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    let widthPx = 0;
    const show = () => {
      if (element.clientWidth === 0 || element.clientWidth === widthPx) return;
      widthPx = element.clientWidth;
      const drawn = draw(chart, widthPx);
      drawn.setAttribute("aria-hidden", "true");
      element.replaceChildren(drawn);
    };
    const resized = new ResizeObserver(show);
    const near = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        near.disconnect();
        resized.observe(element);
      },
      { rootMargin: AHEAD },
    );
    if (isPrinted) show();
    else near.observe(element);
    return () => {
      near.disconnect();
      resized.disconnect();
    };
  }, [chart, isPrinted]);
  return (
    <div
      class="chart"
      ref={place}
      role="img"
      aria-label={chart.description}
      style={{ minHeight: `${heightOf(chart)}px` }}
    />
  );
}

function Legend({ keys }: { keys: readonly Key[] }) {
  return (
    <ul class="legend">
      {keys.map((key) => (
        <li key={key.label}>
          <i class={key.shape} style={{ color: key.colour }} /> {key.label}
        </li>
      ))}
    </ul>
  );
}
