import { useState } from "preact/hooks";
import type { Block, Folded, Paragraph } from "./document";
import { FigureView } from "./figure";
import { FlameView } from "./flame";
import { keysOf } from "./keys";
import { useIsPrinted } from "./printing";
import { TableView } from "./table";
import { TrialsView } from "./trials_view";
import { VersusView } from "./versus";

export function BlockList({ blocks }: { blocks: readonly Block[] }) {
  const keys = keysOf(blocks);
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView block={block} key={keys[index]} />
      ))}
    </>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.type) {
    case "Paragraph":
      return <ParagraphView paragraph={block} />;
    case "Bullets": {
      const keys = keysOf(block.items);
      return (
        <ul class={block.kind}>
          {block.items.map((item, index) => (
            <li key={keys[index]}>
              {item.type === "Folded" ? <FoldedView folded={item} /> : <Words words={item} />}
            </li>
          ))}
        </ul>
      );
    }
    case "Figures":
      return (
        <dl class="key">
          {block.items.map(([text, title]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      );
    case "Facts":
      return (
        <dl class="facts">
          {block.items.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      );
    case "Commands":
      return (
        <dl class="commands">
          {block.items.map(([command, purpose]) => (
            <div key={command}>
              <dt>
                <code>{command}</code>
              </dt>
              <dd>{purpose}</dd>
            </div>
          ))}
        </dl>
      );
    case "Verbatim":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
        <pre tabIndex={0}>{block.text}</pre>
      );
    case "Heading":
      return <h3>{block.text}</h3>;
    case "Table":
      return <TableView table={block} />;
    case "Figure":
      return <FigureView figure={block} />;
    case "Flame":
      return <FlameView flame={block} />;
    case "Versus":
      return <VersusView versus={block} />;
    case "Trials":
      return <TrialsView trials={block} />;
    case "Folded":
      return <FoldedView folded={block} />;
  }
}

function ParagraphView({ paragraph }: { paragraph: Paragraph }) {
  return (
    <p class={paragraph.kind}>
      <Words words={paragraph} />
    </p>
  );
}

function Words({ words }: { words: Paragraph }) {
  return (
    <>
      {words.strong && <b>{words.strong}</b>}
      {words.link ? <a href={words.link}>{words.text}</a> : words.text}
    </>
  );
}

/** Blocks that are made once they are opened. */
export function FoldedView({ folded }: { folded: Folded }) {
  const isPrinted = useIsPrinted();
  const [isAsked, setAsked] = useState(folded.is_open ?? false);
  const isOpen = isAsked || isPrinted;
  return (
    <details open={isOpen} onToggle={(event) => setAsked(event.currentTarget.open)}>
      <summary>{folded.summary}</summary>
      {isOpen && <BlockList blocks={folded.blocks} />}
    </details>
  );
}
