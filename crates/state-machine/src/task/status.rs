//! The statuses, node types and actions of a task.

crate::symbols! {
    /// Where a task stands (WriteHERE's `TaskStatus`).
    pub enum TaskStatus {
        /// Waits for the outer task to open and for the tasks it depends on.
        NotReady = "NOT_READY",
        /// Can be planned or executed.
        Ready = "READY",
        /// Its dependencies finished: its goal can be updated with their results.
        NeedUpdate = "NEED_UPDATE",
        /// All inner tasks are settled: their results can be aggregated.
        FinalToFinish = "FINAL_TO_FINISH",
        /// Its result can be reflected upon.
        NeedPostReflect = "NEED_POST_REFLECT",
        /// Done.
        Finish = "FINISH",
        /// The plan stands and can be reflected upon.
        PlanDone = "PLAN_DONE",
        /// Waits for its inner tasks.
        Doing = "DOING",
        /// Given up: an action ran out of retries, or something it needs failed.
        Failed = "FAILED",
    }
}

crate::symbols! {
    /// What a task is in the tree.
    pub enum NodeType {
        /// Opens into an inner graph of further tasks.
        Plan = "PLAN_NODE",
        /// Does its work in one action.
        Execute = "EXECUTE_NODE",
    }
}

crate::symbols! {
    /// What can be done with a task. The caller does it and reports with a [`TreeChange`](crate::TreeChange).
    pub enum TaskAction {
        /// Decide the inner graph.
        Plan = "plan",
        /// Do the work of an execute node.
        Execute = "execute",
        /// Bring the goal up to date with the results of the dependencies.
        Update = "update",
        /// Look at the plan before its tasks start.
        PriorReflect = "prior_reflect",
        /// Make one result of the results of the inner tasks.
        FinalAggregate = "final_aggregate",
        /// Look at the result of a plan node.
        PlanningPostReflect = "planning_post_reflect",
        /// Look at the result of an execute node.
        ExecutePostReflect = "execute_post_reflect",
    }
}
