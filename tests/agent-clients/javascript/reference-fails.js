// Where the reference server is known to be wrong or to have nothing. Used only if AGENT_SERVER_KIND is `reference`.

const CHANNELS = "these channels of the protocol stay silent";
const ROLLED = "a step that ends while the run is rolled back can be kept";
const EARLY = "a question is told a moment before it can be answered";
const STATE = "there are no such commands";

// A case, and why the reference fails it.
export const FAILS = {
  "sdk 1: a state can be patched": "405",
  "sdk 2: a state can be patched": "405",
  "sdk 1: a stateless stream is taken up": "404: the route that `Location` names is not served",
  "sdk 2: a stateless stream is taken up": "404: the route that `Location` names is not served",
  "sdk 1: a second run follows the strategy rollback": ROLLED,
  "sdk 2: a second run follows the strategy rollback": ROLLED,
  "sdk 1: a run is rolled back, leaving nothing": ROLLED,
  "sdk 2: a run is rolled back, leaving nothing": ROLLED,
  "react over sse: a question is shown and answered": EARLY,
  "react over sse: several questions are answered together": EARLY,
  "react over websocket: a question is shown and answered": EARLY,
  "react over websocket: several questions are answered together": EARLY,
  "sdk 1: the reason of a cancel is kept": "the reason is ignored",
  "events over sse: the channel updates delivers": CHANNELS,
  "events over sse: the channel custom delivers": CHANNELS,
  "events over sse: the channel tasks delivers": CHANNELS,
  "events over sse: the channel checkpoints delivers": CHANNELS,
  "events over websocket: the channel updates delivers": CHANNELS,
  "events over websocket: the channel custom delivers": CHANNELS,
  "events over websocket: the channel tasks delivers": CHANNELS,
  "events over websocket: the channel checkpoints delivers": CHANNELS,
  "events over sse: the state is read, listed and forked by commands": STATE,
  "events over sse: a message is put into a thread": STATE,
  "events over websocket: the state is read, listed and forked by commands": STATE,
  "events over websocket: a message is put into a thread": STATE,
};

// How the names of cases begin whose whole protocol the reference does not have.
export const ABSENT = { "ag-ui:": "the reference does not speak AG-UI" };
