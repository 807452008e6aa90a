// Where the reference server is known to be wrong or to have nothing. Used only if AGENT_SERVER_KIND is `reference`.

// A case, and why the reference fails it.
export const FAILS = {
  "sdk 1: a state can be patched": "405",
  "sdk 2: a state can be patched": "405",
  "sdk 1: a stateless stream is taken up": "404: the route that `Location` names is not served",
  "sdk 2: a stateless stream is taken up": "404: the route that `Location` names is not served",
  "sdk 1: the reason of a cancel is kept": "the reason is ignored",
};

// How the names of cases begin whose whole protocol the reference does not have.
export const ABSENT = {};
