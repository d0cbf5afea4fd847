import { BlockList } from "./blocks";
import type { Page, Section } from "./document";

/** A page; one that follows a run has a status, which a screen reader announces. */
export function PageView({ page, status }: { page: Page; status?: string }) {
  const about = [page.at, ...page.meta].filter(Boolean);
  return (
    <>
      <header>
        <p class="overline">
          {page.overline}
          {page.home && (
            <>
              {" · "}
              <a href={page.home}>all results</a>
            </>
          )}
        </p>
        <h1>{page.heading}</h1>
        {about.length > 0 && <p class="meta">{about.join(" · ")}</p>}
        {status !== undefined && (
          <p class="headline" role="status">
            {status}
          </p>
        )}
        {page.warnings?.map((warning) => (
          <p class="failed" key={warning}>
            <b>{warning}</b>
          </p>
        ))}
      </header>
      <main>
        {page.sections.map((section) => (
          <SectionView section={section} key={section.title} />
        ))}
      </main>
      <footer>
        <p>
          {page.footer}
          {page.data && (
            <>
              {" All metrics of all trials: "}
              <a href={page.data} download>
                Parquet
              </a>
            </>
          )}
        </p>
      </footer>
    </>
  );
}

function SectionView({ section }: { section: Section }) {
  if (section.blocks.length === 0) return null;
  if (!section.title) {
    return (
      <section class="answer" aria-label="The answer">
        <BlockList blocks={section.blocks} />
      </section>
    );
  }
  return (
    <section>
      <h2>{section.title}</h2>
      <BlockList blocks={section.blocks} />
    </section>
  );
}
