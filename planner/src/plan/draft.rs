//! A plan that is sealed when its seal is first needed.

use super::Plan;

/// A plan, sealed or not yet: while people change what they ask for, most plans are looked at and dropped.
#[derive(Clone, Debug)]
pub struct Draft {
    plan: Plan,
    sealed: bool,
}

impl Draft {
    /// A plan that is not sealed yet.
    pub(crate) const fn new(plan: Plan) -> Self {
        Self { plan, sealed: false }
    }

    /// The plan to look at. As long as nothing has asked for [`sealed`](Self::sealed), its seal is blank, and a document of
    /// it is none that anybody accepts.
    #[must_use]
    pub const fn unsealed(&self) -> &Plan {
        &self.plan
    }

    /// The plan, whole.
    pub fn sealed(&mut self) -> &Plan {
        if !self.sealed {
            self.plan.seal = self.plan.expected_seal();
            self.sealed = true;
        }
        &self.plan
    }
}

impl From<Plan> for Draft {
    /// A plan from outside brings its seal.
    fn from(plan: Plan) -> Self {
        Self { plan, sealed: true }
    }
}

impl From<Draft> for Plan {
    fn from(mut draft: Draft) -> Self {
        draft.sealed();
        draft.plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{DeviceFacts, Request};
    use crate::{draft, plan};
    use alloc::vec;

    #[test]
    fn a_draft_is_the_plan_but_for_its_seal_until_that_is_asked_for() {
        let request = Request::new(vec![DeviceFacts::described(1 << 30); 2], "draft", 0);
        let (mut draft, plan) = (draft(&request).unwrap(), plan(&request).unwrap());
        assert_eq!(draft.unsealed().canonical(), plan.canonical());
        assert!(Plan::from_json(draft.unsealed().to_json().as_bytes()).is_err(), "nobody takes it as it is");
        assert_eq!(draft.sealed(), &plan);
        assert_eq!(draft.unsealed(), &plan);
        assert_eq!(Plan::from(Draft::from(plan.clone())), plan);
    }
}
