import type { Flame, Frame } from "./document";

const WIDTH_PX = 1180;
const ROW_PX = 17;
const LETTER_PX = 6.6;

/** Change, as a share of the whole CPU time, that has the full colour. */
const FULL_SHARE = 0.05;

export function FlameView({ flame }: { flame: Flame }) {
  const heightPx = ROW_PX * (1 + Math.max(...flame.frames.map((frame) => frame.depth)));
  return (
    <div class="scroll">
      <svg
        viewBox={`0 0 ${WIDTH_PX} ${heightPx}`}
        width={WIDTH_PX}
        height={heightPx}
        role="img"
        aria-label="Calls of both sides"
        font-family="monospace"
        font-size="11"
      >
        {flame.frames.map((frame, index) => (
          <FrameView frame={frame} yPx={heightPx - ROW_PX * (frame.depth + 1)} key={index} />
        ))}
      </svg>
    </div>
  );
}

function FrameView({ frame, yPx }: { frame: Frame; yPx: number }) {
  const xPx = WIDTH_PX * frame.x;
  const widthPx = WIDTH_PX * frame.width;
  return (
    <g>
      <title>{frame.title}</title>
      <rect x={xPx} y={yPx} width={widthPx} height={ROW_PX - 1} fill={colourOf(frame)} />
      <text x={xPx + 2} y={yPx + ROW_PX - 5} fill="#000">
        {shortened(frame.name, Math.floor(widthPx / LETTER_PX))}
      </text>
    </g>
  );
}

export function shortened(name: string, letters: number): string {
  if (name.length <= letters) return name;
  return letters > 2 ? `${name.slice(0, letters - 1)}…` : "";
}

/** Grey for no change, and red or blue for more or less time. */
function colourOf({ change_share: share }: Frame): string {
  const strength = Math.min(1, Math.abs(share) / FULL_SHARE);
  const full = share > 0 ? [235, 70, 60] : [70, 130, 235];
  return `rgb(${full.map((each) => Math.round(225 + (each - 225) * strength)).join(",")})`;
}
