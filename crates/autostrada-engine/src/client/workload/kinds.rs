//! The list of all kinds of workload.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::{Kind, WorkloadPlan};
use crate::client::merge::merge;

/// A function that is generic over the kind of workload.
pub trait Visitor {
    /// The return value of the function.
    type Output;

    /// Calls the function with a plan; `sections` wraps the section of its kind in all sections.
    fn visit<K: Kind>(self, kind: &K, sections: fn(K::Section) -> Sections) -> Self::Output;
}

/// Defines the plan of any kind, and the sections of all kinds.
macro_rules! kinds {
    ($($module:ident::$plan:ident as $name:ident),* $(,)?) => {
        /// The workload of each connection, selected by `kind`.
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum LoadWorkload {
            $($name(super::$module::$plan),)*
        }

        /// The sections of all kinds in the result; only keys of the kind that was run have values.
        #[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
        pub struct Sections {
            $(#[serde(flatten)] pub $module: <super::$module::$plan as Kind>::Section,)*
        }

        merge!(Sections { $($module: each),* });

        impl LoadWorkload {
            /// Returns the plan of any kind.
            pub fn plan(&self) -> &dyn WorkloadPlan {
                match self {
                    $(Self::$name(plan) => plan,)*
                }
            }

            /// Calls a visitor with the plan.
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
    publish::PublishPlan as Publish,
    reconnect::ReconnectPlan as Reconnect,
}
