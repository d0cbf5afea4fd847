import { useEffect, useState } from "preact/hooks";
import { cellsBeside, differences } from "./beside";
import type { Versus } from "./document";
import { TableView } from "./table";

/** A choice of two libraries, which stands in the address, and what tells them apart. */
export function VersusView({ versus }: { versus: Versus }) {
  const [names, setNames] = useState(namesOf(location.hash));
  useEffect(() => {
    const read = () => setNames(namesOf(location.hash));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  const choose = (place: 0 | 1, name: string) => {
    const changed = [names[0] ?? "", names[1] ?? ""];
    changed[place] = name;
    location.hash = changed.map(encodeURIComponent).join("/");
  };
  const [one, other] = names.map((name) => versus.contenders.find((each) => each.name === name));
  return (
    <>
      <p class="filters">
        {([0, 1] as const).map((place) => (
          <label key={place}>
            {place === 0 ? "one" : "other"}{" "}
            <select
              value={names[place] ?? ""}
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
            The ratio is that of {one.name} to {other.name}, with its interval, where both have a
            rank in the same run.
          </p>
          <TableView table={cellsBeside(versus, one.name, other.name)} key={names.join("/")} />
          <h3>What differs</h3>
          <TableView table={differences(one, other)} />
        </>
      )}
    </>
  );
}

/** The names in an address such as `#one/other`. */
export function namesOf(hash: string): string[] {
  return hash.slice(1).split("/").map(decodeURIComponent);
}
