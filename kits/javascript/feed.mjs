// Encodes and decodes the messages of a feed: docs/contract.md, section 7.

import { readChoice } from "./variables.mjs";

const KINDS = ["hello", "sequence", "clock", "stocks"];
const GREETING = "hello world";
const NUMBER_END = 2 ** 53;
const TIME_NS_END = 2n ** 63n;
const HEAD_BYTES = 20;
const RECORD_BYTES = 40;
const DIGITS = "(0|[1-9][0-9]{0,18})";
const VALUE = new RegExp(`^${DIGITS}$`);
const JSON_HEAD = new RegExp(`^\\{"sequence":${DIGITS},"time_ns":${DIGITS},"stocks":\\[`);
// Longest head, in characters: with the largest numbers.
const JSON_HEAD_LENGTH = 80;
const CSV_HEAD = "date,open,high,low,close,volume";
const CSV_LINE = /^[^,]*((?:,[0-9]{1,7}\.[0-9]{2}){4}),([0-9]{1,15})$/;

/** Thrown for a message that is not a message of the feed. */
export class WrongMessageError extends Error {}

/** Reads the variables of a feed; returns null if FEED is not set. */
export function readFeedFormat(environment) {
  if (environment.FEED === undefined) return null;
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
    this.hasNumber = kind === "sequence" || kind === "stocks";
    this.hasInstant = kind === "clock" || kind === "stocks";
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

  /**
   * Returns the number and the time of a message, if its kind has them; throws a WrongMessageError
   * if it is not a message of this feed. A text may be a string or a Buffer that contains it as
   * UTF-8.
   */
  decode(message, isBinary) {
    if (isBinary !== (this.encoding === "binary")) throw new WrongMessageError();
    if (this.kind === "hello") {
      if (message.toString() !== GREETING) throw new WrongMessageError();
      return {};
    }
    const heading = this.#read(message, isBinary);
    const { number = 0n, timeNs = 0n } = heading;
    if (number >= NUMBER_END || timeNs >= TIME_NS_END) throw new WrongMessageError();
    return { number: this.hasNumber ? Number(number) : undefined, timeNs: heading.timeNs };
  }

  #read(message, isBinary) {
    if (this.kind === "stocks") return isBinary ? readBinaryStocks(message) : readJsonStocks(message);
    const value = isBinary ? readBinaryValue(message) : readValue(message.toString());
    return this.kind === "sequence" ? { number: value } : { timeNs: value };
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

function readValue(text) {
  if (!VALUE.test(text)) throw new WrongMessageError();
  return BigInt(text);
}

function readBinaryValue(message) {
  if (message.length !== 8) throw new WrongMessageError();
  return message.readBigUInt64BE();
}

function readJsonStocks(message) {
  // Only the two ends of a Buffer are converted to strings.
  const match = JSON_HEAD.exec(head(message));
  if (!match || tail(message) !== "]}") throw new WrongMessageError();
  return { number: BigInt(match[1]), timeNs: BigInt(match[2]) };
}

function head(message) {
  return message.slice(0, JSON_HEAD_LENGTH).toString();
}

function tail(message) {
  return message.slice(-2).toString();
}

function readBinaryStocks(message) {
  if (message.length < HEAD_BYTES) throw new WrongMessageError();
  const records = message.readUInt32BE(16);
  if (message.length !== HEAD_BYTES + RECORD_BYTES * records) throw new WrongMessageError();
  return { number: message.readBigUInt64BE(0), timeNs: message.readBigUInt64BE(8) };
}
