/** The names that are ticked once one more is, or less: two at most, the newest last. */
export function ticked(names: readonly string[], name: string): readonly string[] {
  return names.includes(name) ? names.filter((each) => each !== name) : [...names, name].slice(-2);
}

interface TicksProps {
  names: readonly string[];
  /** The page of two libraries. */
  versus: string;
}

/** What was ticked, and the link to both beside each other. */
export function Ticks({ names, versus }: TicksProps) {
  const [one, other] = names;
  const both = `${versus}#${new URLSearchParams({ one: one ?? "", other: other ?? "" })}`;
  return (
    <p class="ticks" aria-live="polite">
      {one && !other && `${one}: tick another one to compare both`}
      {other && <a href={both}>{`${one} and ${other} beside each other`}</a>}
    </p>
  );
}
