//! The list of all kinds of workload.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{Kind, WorkloadPlan};

/// Calls a function that is generic over the kind.
pub trait Visitor {
    /// What it returns.
    type Output;

    /// `sections` makes all sections of that of this kind.
    fn visit<K: Kind>(self, kind: &K, sections: fn(K::Section) -> Sections) -> Self::Output;
}

/// Makes the plan of any kind, and the sections of all kinds.
macro_rules! kinds {
    ($($module:ident::$plan:ident as $name:ident),* $(,)?) => {
        /// What the connections do; `kind` says which.
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum LoadWorkload {
            $($name(super::$module::$plan),)*
        }

        /// What the kinds add to the result: of the kind that was run its keys have values.
        #[derive(Debug, Default, Serialize, JsonSchema)]
        pub struct Sections {
            $(#[serde(flatten)] $module: <super::$module::$plan as Kind>::Section,)*
        }

        impl LoadWorkload {
            /// The plan, whatever its kind.
            #[must_use]
            pub fn plan(&self) -> &dyn WorkloadPlan {
                match self {
                    $(Self::$name(plan) => plan,)*
                }
            }

            /// Calls a function that is generic over the kind, with the plan.
            pub fn visit<V: Visitor>(&self, visitor: V) -> V::Output {
                match self {
                    $(Self::$name(plan) => visitor.visit(plan, |$module| Sections {
                        $module,
                        ..Sections::default()
                    }),)*
                }
            }
        }
    };
}

kinds! {
    receive::ReceivePlan as Receive,
    answer::AnswerPlan as Answer,
    echo::EchoPlan as Echo,
    connect::ConnectPlan as Connect,
    slow_consumer::SlowConsumerPlan as SlowConsumer,
    reconnect::ReconnectPlan as Reconnect,
}
