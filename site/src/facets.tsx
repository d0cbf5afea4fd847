import { useMemo } from "preact/hooks";
import type { Table, TableColumn } from "./document";
import { type Choices, chosen, textOf, textsOf } from "./rows";

interface FacetsProps {
  table: Table;
  choices: Choices;
  onChoose: (choices: Choices) => void;
}

/** A choice of one text for each facet; what the other choices do not leave is disabled. */
export function Facets({ table, choices, onChoose }: FacetsProps) {
  const choose = (column: number, text: string) => {
    const changed = new Map(choices);
    if (text) changed.set(column, text);
    else changed.delete(column);
    onChoose(changed);
  };
  const facets = useMemo(
    () => table.columns.map(({ facet }, index) => (facet ? textsOf(table.rows, index) : [])),
    [table],
  );
  return (
    <>
      {table.columns.map((column, index) => {
        const texts = facets[index] ?? [];
        if (texts.length < 2) return null;
        const others = new Map([...choices].filter(([other]) => other !== index));
        const left = new Set(chosen(table.rows, others).map((row) => textOf(row.cells[index])));
        const View = column.facet === "buttons" ? Buttons : List;
        return (
          <View
            key={column.title}
            column={column}
            texts={texts}
            left={left}
            text={choices.get(index) ?? ""}
            onChoose={(text) => choose(index, text)}
          />
        );
      })}
    </>
  );
}

interface FacetProps {
  column: TableColumn;
  texts: readonly string[];
  left: ReadonlySet<string>;
  text: string;
  onChoose: (text: string) => void;
}

function Buttons({ column, texts, left, text, onChoose }: FacetProps) {
  return (
    <fieldset>
      <legend>{column.title}</legend>
      {texts.map((each) => (
        <button
          type="button"
          key={each}
          aria-pressed={each === text}
          disabled={each !== text && !left.has(each)}
          onClick={() => onChoose(each === text ? "" : each)}
        >
          {each}
        </button>
      ))}
    </fieldset>
  );
}

function List({ column, texts, left, text, onChoose }: FacetProps) {
  return (
    <label>
      {column.title}{" "}
      <select value={text} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="">any</option>
        {texts
          .filter((each) => each === text || left.has(each))
          .map((each) => (
            <option value={each} key={each}>
              {each}
            </option>
          ))}
      </select>
    </label>
  );
}
