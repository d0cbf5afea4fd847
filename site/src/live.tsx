import { useEffect, useState } from "preact/hooks";
import type { Page } from "./document";
import { PageView } from "./page";

const LOST = "No connection to the run: it was interrupted, or has ended.";

/** A page that is replaced by each newer one of its stream, until one has no stream. */
export function LiveView({ first }: { first: Page }) {
  const [page, setPage] = useState(first);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    if (!first.events) return;
    const source = new EventSource(first.events);
    source.onerror = () => setLost(true);
    source.onmessage = (event) => {
      const newer = JSON.parse(event.data) as Page;
      if (!newer.events) source.close();
      setLost(false);
      setPage(newer);
    };
    return () => source.close();
  }, [first]);
  if (!first.events) return <PageView page={page} />;
  return <PageView page={page} status={isLost ? LOST : (page.status ?? "")} />;
}
