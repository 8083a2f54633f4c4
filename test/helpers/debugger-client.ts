/** A client of the Chrome DevTools Protocol, as a debugger is one: over a WebSocket, to a process started with --inspect. */
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Socket } from "node:net";

export interface ProtocolEvent {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

interface Answer {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** A text frame as clients send it: masked, here with zeros. */
function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  const size = length < 126 ? Buffer.alloc(2) : length < 65536 ? Buffer.alloc(4) : Buffer.alloc(10);
  size[0] = 0x81;
  size[1] = 0x80 | (length < 126 ? length : length < 65536 ? 126 : 127);
  if (size.length === 4) size.writeUInt16BE(length, 2);
  if (size.length === 10) size.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([size, Buffer.alloc(4), payload]);
}

/** Takes whole frames off the front of the received bytes. */
function takeFrames(received: Buffer): { texts: string[]; rest: Buffer } {
  const texts: string[] = [];
  let rest = received;
  while (rest.length >= 2) {
    const short = (rest[1] ?? 0) & 0x7f;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (rest.length < head) break;
    const length = head === 2 ? short : head === 4 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2));
    if (rest.length < head + length) break;
    if (((rest[0] ?? 0) & 0x0f) === 1) texts.push(rest.toString("utf8", head, head + length));
    rest = rest.subarray(head + length);
  }
  return { texts, rest };
}

export class DebuggerClient {
  private readonly answers = new Map<number, (answer: Answer) => void>();
  private received: Buffer;
  private lastId = 0;

  private constructor(
    private readonly socket: Socket,
    head: Buffer,
    private readonly onEvent: (event: ProtocolEvent, client: DebuggerClient) => void,
  ) {
    this.received = head;
    socket.on("data", (data: Buffer) => {
      this.receive(data);
    });
    // The other process ends as it likes.
    socket.on("error", () => undefined);
  }

  /** Connects to the address that Node prints: `ws://127.0.0.1:port/id`. */
  static connect(
    address: string,
    onEvent: (event: ProtocolEvent, client: DebuggerClient) => void,
  ): Promise<DebuggerClient> {
    const { hostname, port, pathname } = new URL(address);
    const headers = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
    };
    return new Promise((resolve, reject) => {
      request({ hostname, port, path: pathname, headers })
        .on("error", reject)
        .on("upgrade", (_response, socket: Socket, head: Buffer) => {
          resolve(new DebuggerClient(socket, head, onEvent));
        })
        .end();
    });
  }

  /** Calls a method of the protocol; rejects with its error. */
  post(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.answers.set(id, ({ result, error }) => {
        if (error === undefined) resolve(result ?? {});
        else reject(new Error(`${method}: ${error.message}`));
      });
      this.socket.write(frameOf(JSON.stringify({ id, method, params })));
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private receive(data: Buffer): void {
    const { texts, rest } = takeFrames(Buffer.concat([this.received, data]));
    this.received = rest;
    for (const text of texts) {
      const message = JSON.parse(text) as Answer & ProtocolEvent;
      if (message.id === undefined) this.onEvent(message, this);
      else this.answers.get(message.id)?.(message);
    }
  }
}
