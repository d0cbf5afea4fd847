// Encodes the messages of a feed: docs/published.md.

import { read, readChoice } from "../variables.mjs";

const KINDS = ["hello", "sequence", "clock", "stocks"];
const GREETING = "hello world";
const HEAD_BYTES = 20;
const RECORD_BYTES = 40;
const CSV_HEAD = "date,open,high,low,close,volume";
const CSV_LINE = /^[^,]*((?:,[0-9]{1,7}\.[0-9]{2}){4}),([0-9]{1,15})$/;

/** Reads the variables of a feed's messages. */
export function readFeedFormat(environment) {
  read(environment, "FEED"); // It has no default.
  const kind = readChoice(environment, "FEED", KINDS);
  return new FeedFormat(kind, readChoice(environment, "ENCODING", ["json", "binary"]));
}

/** Parses the content of a CSV file; throws an Error if it is malformed. */
export function parseStocks(text) {
  const [head, ...lines] = text.replace(/\n$/, "").split("\n");
  if (head !== CSV_HEAD || lines.length === 0) {
    throw new Error(`must have the line ${CSV_HEAD} at its head, and records`);
  }
  return lines.map((line) => {
    const match = CSV_LINE.exec(line);
    if (!match) throw new Error(`has a line that is no record: ${JSON.stringify(line)}`);
    const [, open, high, low, close] = match[1].split(",").map(Number);
    return { open, high, low, close, volume: Number(match[2]) };
  });
}

/** The kind and the encoding of a feed's messages. */
export class FeedFormat {
  constructor(kind, encoding = "json") {
    this.kind = kind;
    this.encoding = encoding;
  }

  /** Returns an encoded message, a string or a Buffer. `timeNs` is a BigInt. */
  encode(number, timeNs, stocks = []) {
    const isText = this.encoding === "json";
    if (this.kind === "stocks") {
      return isText ? jsonOfStocks(number, timeNs, stocks) : binaryOfStocks(number, timeNs, stocks);
    }
    if (this.kind === "hello") return isText ? GREETING : Buffer.from(GREETING);
    const value = BigInt(this.kind === "sequence" ? number : timeNs);
    if (isText) return value.toString();
    const message = Buffer.allocUnsafe(8);
    message.writeBigUInt64BE(value);
    return message;
  }
}

function jsonOfStocks(number, timeNs, stocks) {
  const records = stocks.map(
    ({ open, high, low, close, volume }) =>
      `{"open":${open.toFixed(2)},"high":${high.toFixed(2)},"low":${low.toFixed(2)},` +
      `"close":${close.toFixed(2)},"volume":${volume}}`,
  );
  return `{"sequence":${number},"time_ns":${timeNs},"stocks":[${records.join(",")}]}`;
}

function binaryOfStocks(number, timeNs, stocks) {
  const message = Buffer.allocUnsafe(HEAD_BYTES + RECORD_BYTES * stocks.length);
  message.writeBigUInt64BE(BigInt(number), 0);
  message.writeBigUInt64BE(timeNs, 8);
  let end = message.writeUInt32BE(stocks.length, 16);
  for (const { open, high, low, close, volume } of stocks) {
    for (const price of [open, high, low, close]) end = message.writeDoubleBE(price, end);
    end = message.writeBigUInt64BE(BigInt(volume), end);
  }
  return message;
}
