// Reads trials from the Parquet file of a run; it is built apart, and loaded when they are asked for.
import { decompress } from "fzstd";
import { asyncBufferFromUrl, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import type { Table, Trials } from "./document";
import { type StoredRow, trialTable } from "./trials";

declare global {
  /** What this file sets. */
  var autostradaTrials: ((trials: Trials) => Promise<Table>) | undefined;
}

/** More than the metadata of a run, which stand at the end of its file. */
const METADATA_BYTES_MAX = 1 << 16;

const CELL = ["record", "trial_id", "server", "client", "workload", "repetition", "retry"];
const TRIAL = ["is_counted", "disturbance", "failure", "failure_message"];
const VALUE = ["process", "metric", "value", "second", "messages"];

globalThis.autostradaTrials = async (trials) => {
  const file = await asyncBufferFromUrl({ url: trials.data });
  const metadata = await parquetMetadataAsync(file, { initialFetchSize: METADATA_BYTES_MAX });
  const { server, client, workload } = trials;
  const rows = await parquetReadObjects({
    file,
    metadata,
    columns: [...CELL, ...TRIAL, ...VALUE],
    filter: {
      $or: [
        { record: { $in: ["metric", "second"] } },
        { server: { $eq: server }, client: { $eq: client }, workload: { $eq: workload } },
      ],
    },
    compressors: { ZSTD: (input, length) => decompress(input, new Uint8Array(length)) },
  });
  return trialTable(trials, rows as StoredRow[]);
};
