//! The status codes.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $text:literal;)*) => {
        /// A status code that a run can end up with. The numbers are those of the original; from 212410 on they are ours.
        /// Codes that the original defines and never uses are not here.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum StatusCode {
            $($(#[$doc])* $name,)*
        }

        impl StatusCode {
            /// All codes, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The number.
            pub fn code(self) -> u32 {
                match self {
                    $(Self::$name => $code,)*
                }
            }

            /// What the code stands for, in general.
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

codes! {
    /// The request is no request.
    Request = 200_009, "the request is invalid";
    /// A parameter has a value that it does not take.
    ParameterInvalid = 200_013, "a parameter is invalid";
    /// A parameter has a value that is none of those allowed.
    ParameterNotAllowed = 200_014, "a parameter has a value that is not allowed";
    /// An address is too long.
    UrlTooLong = 200_021, "an address is longer than 8192 characters";
    /// A parameter is outside its range.
    ParameterRange = 200_025, "a parameter is outside its range";
    /// All tries of a call were answered, and no answer could be used.
    RetriesExhausted = 211_000, "no answer could be used after all tries";
    /// There is no main graph for `execution_method`.
    WorkflowUnknown = 211_101, "there is no such workflow";
    /// A slot names a model that cannot be reached.
    ModelNone = 211_200, "there is no model where one is needed";
    /// A model failed.
    Model = 211_201, "a model failed";
    /// A model answered nothing.
    ModelEmpty = 211_202, "a model answered nothing";
    /// There is no model for the slot `general`.
    ModelGeneralMissing = 211_203, "there is no model for `general`";
    /// A search engine could not be set up.
    SearchSetup = 211_300, "a search engine cannot be set up";
    /// A local search engine could not be set up.
    LocalSearchSetup = 211_301, "a local search engine cannot be set up";
    /// A search engine of the user could not be loaded.
    SearchExtension = 211_302, "a custom search engine cannot be loaded";
    /// A search failed.
    Search = 211_304, "a search failed";
    /// A search had to wait too long for its turn.
    SearchRateLimit = 211_305, "a search waited too long for its turn";
    /// There is no outline to work on.
    TeamNoOutline = 211_500, "there is no outline";
    /// The outline has no sections, or their dependencies are no order.
    TeamNoSections = 211_501, "the outline has no sections that can be worked on";
    /// No section has a text.
    TeamAllEmpty = 211_502, "no section has a text";
    /// The request could not be understood.
    Entry = 211_600, "the language of the request cannot be found";
    /// No clarifying questions could be made.
    Questions = 211_700, "no questions can be made";
    /// What a person answered cannot be read, or the way to ask is unknown.
    Feedback = 211_701, "the feedback cannot be read";
    /// A person answered nothing.
    FeedbackEmpty = 211_702, "the feedback is empty";
    /// No outline could be made.
    Outline = 211_800, "no outline can be made";
    /// No plan could be made.
    Plan = 211_801, "no plan can be made";
    /// A step found no documents.
    StepNoDocuments = 211_900, "a step found no documents";
    /// A section found no documents.
    SectionNoDocuments = 211_901, "a section found no documents";
    /// A section could not be written.
    SubReport = 212_000, "a section cannot be written";
    /// The report could not be put together.
    Report = 212_001, "the report cannot be put together";
    /// Statements of a section could not be recognised or matched with sources.
    SubSourceTrace = 212_100, "the sources of a section cannot be traced";
    /// A citation of a section leads to no source and could not be put into its text.
    CitationAdd = 212_101, "a citation cannot be added to a section";
    /// The citations in the report and the list of their sources differ.
    CitationCount = 212_102, "citations of the report have no source";
    /// A checker gave another number of judgements than it was asked for.
    JudgementCount = 212_103, "judgements of citations are missing";
    /// A checker gave no judgement that could be read.
    JudgementAnswer = 212_104, "judgements of citations cannot be read";
    /// Nobody could check citations: a model is out, or the budget is spent.
    CitationCheck = 212_105, "citations cannot be checked";
    /// The sources of a report could not be traced.
    SourceTrace = 212_106, "the sources of the report cannot be traced";
    /// A template has a name that cannot be used.
    TemplateName = 212_201, "the template has an invalid name";
    /// What conclusions rest on could not be found.
    Inference = 212_300, "the inferences of the report cannot be traced";
    /// The conclusions of a section could not be extracted.
    InferenceExtract = 212_301, "the conclusions of a section cannot be extracted";
    /// A provenance graph could not be built.
    InferenceGraph = 212_302, "a provenance graph cannot be built";
    /// The selected text is not what stands at the offsets.
    FeedbackOffsetMismatch = 212_403, "the selected text does not stand at the offsets";
    /// The action is unknown.
    FeedbackAction = 212_404, "the action is invalid";
    /// The text could not be rewritten.
    FeedbackRewrite = 212_405, "the text cannot be rewritten";
    /// The payload is no JSON object.
    FeedbackJson = 212_406, "the payload is no JSON object";
    /// A field of the payload has the wrong type.
    FeedbackType = 212_407, "a field of the payload has the wrong type";
    /// The offsets are outside the report.
    FeedbackOffsetRange = 212_408, "the offsets are outside the report";
    /// The scope of a supplementary search is unknown. Ours: the original names the error and no number.
    FeedbackScope = 212_410, "the rewrite scope is invalid";
    /// A chart could not be made. Ours: the original names the failure and no number.
    Chart = 212_411, "a chart cannot be made";
    /// A language other than Chinese and English was mapped to English. Ours.
    LanguageMapped = 212_412, "the report is written in English";
    /// A limit of the budget was reached and work was left out. Ours.
    BudgetReached = 212_413, "the budget is reached";
    /// A run or a section ran out of time. Ours.
    TimeOut = 212_414, "the time is up";
    /// A graph took more steps than `workflow_recursion_limit`. Ours.
    StepLimit = 212_415, "the limit of steps is reached";
}

impl fmt::Display for StatusCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code())
    }
}
