import { useEffect, useState } from "preact/hooks";

let isPrinted = false;
const waiting = new Set<() => void>();

addEventListener("beforeprint", () => {
  isPrinted = true;
  for (const show of waiting) show();
});

/** Whether the page has been printed: from then on all that is folded is open. */
export function useIsPrinted(): boolean {
  const [isShown, setShown] = useState(isPrinted);
  useEffect(() => {
    const show = () => setShown(true);
    waiting.add(show);
    return () => {
      waiting.delete(show);
    };
  }, []);
  return isShown;
}
