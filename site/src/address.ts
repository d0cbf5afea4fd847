/** What a person has chosen, as it stands in the address: after #, as a query. */
export function readAddress(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}

/** Change the address; what is empty is left out. */
export function writeAddress(changes: Readonly<Record<string, string>>): void {
  const choices = readAddress();
  for (const [name, text] of Object.entries(changes)) {
    if (text) choices.set(name, text);
    else choices.delete(name);
  }
  const changed = `#${choices}`;
  if (changed !== (location.hash || "#")) location.replace(changed);
}
