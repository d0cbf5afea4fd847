import { useState } from "preact/hooks";
import { readAddress, writeAddress } from "./address";
import { cellsBeside, differences } from "./beside";
import type { Versus } from "./document";
import { TableView } from "./table";

const PLACES = ["one", "other"] as const;

/** A choice of two libraries, which stands in the address, and what tells them apart. */
export function VersusView({ versus }: { versus: Versus }) {
  const [names, setNames] = useState(namesChosen);
  const choose = (place: (typeof PLACES)[number], name: string) => {
    writeAddress({ [place]: name });
    setNames(namesChosen());
  };
  const [one, other] = names.map((name) => versus.contenders.find((each) => each.name === name));
  return (
    <>
      <p class="filters">
        {PLACES.map((place, index) => (
          <label key={place}>
            {place}{" "}
            <select
              value={names[index] ?? ""}
              onChange={(event) => choose(place, event.currentTarget.value)}
            >
              <option value="">none</option>
              {versus.contenders.map(({ name }) => (
                <option value={name} key={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ))}
      </p>
      {one && other && (
        <>
          <h3>All cells of both</h3>
          <p class="note">
            The ratio is that of {one.name} to {other.name}, where both have a rank in the same run.
            Each interval holds for one ratio by itself, not for all of them together.
          </p>
          <TableView table={cellsBeside(versus, one.name, other.name)} key={names.join("/")} />
          <h3>What differs</h3>
          <TableView table={differences(one, other)} />
        </>
      )}
    </>
  );
}

function namesChosen(): string[] {
  const choices = readAddress();
  return PLACES.map((place) => choices.get(place) ?? "");
}
