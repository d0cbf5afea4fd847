import type { Table } from "./document";
import type { Choices, Order } from "./rows";

/** What a person has done to a table: an order, words, and choices. */
export interface View {
  order: Order | null;
  wanted: string;
  choices: Choices;
}

export const UNCHANGED: View = { order: null, wanted: "", choices: new Map() };

/** Names in the address beside those of columns; `-` begins a descending order. */
const SORT = "sort";
const SEARCH = "search";

/** The view that an address names; what the table does not have is left out. */
export function viewIn(choices: URLSearchParams, table: Table): View {
  const sort = choices.get(SORT) ?? "";
  const column = table.columns.findIndex((each) => nameOf(each.title) === sort.replace(/^-/, ""));
  const chosen = table.columns.flatMap((each, index): [number, string][] => {
    const text = each.facet ? choices.get(nameOf(each.title)) : null;
    return text ? [[index, text]] : [];
  });
  return {
    order: column < 0 ? null : { column, isDescending: sort.startsWith("-") },
    wanted: choices.get(SEARCH) ?? "",
    choices: new Map(chosen),
  };
}

/** The names and texts of a view in an address. */
export function addressOf({ order, wanted, choices }: View, table: Table): Record<string, string> {
  const sorted = order ? nameOf(table.columns[order.column]?.title ?? "") : "";
  const facets = table.columns.flatMap((column, index): [string, string][] =>
    column.facet ? [[nameOf(column.title), choices.get(index) ?? ""]] : [],
  );
  return {
    ...Object.fromEntries(facets),
    [SORT]: order?.isDescending ? `-${sorted}` : sorted,
    [SEARCH]: wanted,
  };
}

function nameOf(title: string): string {
  return title.replaceAll(/\s+/g, "-");
}
