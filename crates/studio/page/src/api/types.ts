// What the server answers, as its wire has it. Fields that the page does not read are left out.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type RunStatus = "pending" | "running" | "success" | "error" | "timeout" | "interrupted";
export type ThreadStatus = "idle" | "busy" | "interrupted" | "error";

export interface Run {
  run_id: string;
  thread_id: string;
  assistant_id: string;
  status: RunStatus;
  created_at: string;
  updated_at: string;
  metadata: JsonObject;
  kwargs?: JsonObject;
  multitask_strategy?: string;
}

/** What a run used of models. Costs are millionths of a dollar. */
export interface Usage {
  calls: number;
  failed: number;
  /** Answers that were there already, so that no model was asked. */
  reused: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  cost_usd_micros: number;
  /** Calls whose cost is not known. */
  unpriced: number;
}

export interface Interrupt {
  id: string;
  value: Json;
  response_schema?: JsonObject;
}

export interface Thread {
  thread_id: string;
  created_at: string;
  updated_at: string;
  metadata: JsonObject;
  status: ThreadStatus;
  config?: JsonObject;
  values: JsonObject | null;
  /** Open questions by the id of the task that asks. */
  interrupts: Record<string, Interrupt[]>;
  error?: Json;
}

export interface Assistant {
  assistant_id: string;
  graph_id: string;
  name: string;
  description: string | null;
  version: number;
  config: JsonObject;
  context: JsonObject;
  metadata: JsonObject;
  created_at: string;
  updated_at: string;
}

export interface Schemas {
  graph_id: string;
  input_schema: JsonObject | null;
  output_schema: JsonObject | null;
  state_schema: JsonObject | null;
  config_schema: JsonObject | null;
  context_schema: JsonObject | null;
}

export interface CheckpointRef {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
}

export interface StateTask {
  id: string;
  name: string;
  error: Json;
  interrupts: Interrupt[];
  checkpoint: CheckpointRef | null;
}

/** The state of a thread at a checkpoint. */
export interface ThreadState {
  values: JsonObject;
  next: string[];
  tasks: StateTask[];
  checkpoint: CheckpointRef;
  parent_checkpoint: CheckpointRef | null;
  metadata: JsonObject;
  created_at: string;
}
