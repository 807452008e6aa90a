//! A conversation as the tokens that the model was trained on, by the template in its GGUF file.

use graphloom_llm::{ChatRequest, Message, Part, Role};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, context};

use crate::EmbeddedError;
use crate::model::Gguf;
use crate::tokenizer::Tokenizer;

/// What a template of another model's file looks like when it has none: `ChatML`.
const CHAT_ML: &str = "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n\
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/// Private characters around the number of a message, in place of its text while the template is rendered. A message can
/// therefore not bring control tokens of its own, whatever it says.
const OPEN: char = '\u{E000}';
const CLOSE: char = '\u{E001}';

/// The model's chat template.
#[derive(Debug)]
pub(crate) struct Template {
    environment: Environment<'static>,
    begin: String,
    end: String,
}

impl Template {
    /// Reads and tries the template of `gguf`.
    pub(crate) fn load(gguf: &Gguf, tokenizer: &Tokenizer) -> Result<Self, EmbeddedError> {
        let source = match gguf.text("tokenizer.chat_template") {
            Some(source) => source,
            None if tokenizer.control().contains_key("<|im_start|>") => CHAT_ML,
            None => return Err(gguf.unsupported("it has no chat template, so it is not made for conversations")),
        };
        let mut environment = Environment::new();
        // As the trainers' own tool renders templates.
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(|error| gguf.unsupported(error.to_string()))?);
        // Templates call the methods that texts and lists have in Python.
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", |message: String| -> Result<String, minijinja::Error> {
            Err(minijinja::Error::new(minijinja::ErrorKind::InvalidOperation, message))
        });
        let fault = |error: minijinja::Error| gguf.unsupported(format!("its chat template does not work: {error:#}"));
        environment.add_template_owned("chat", source.to_owned()).map_err(fault)?;
        let name = |token: Option<u32>| token.map(|token| tokenizer.name(token).to_owned()).unwrap_or_default();
        let template = Self { environment, begin: name(tokenizer.begin()), end: name(Some(tokenizer.end())) };
        template.render(&[("user", "0".to_owned())]).map_err(fault)?;
        Ok(template)
    }

    /// The tokens of a conversation, up to where the assistant speaks.
    pub(crate) fn encode(&self, request: &ChatRequest, tokenizer: &Tokenizer) -> Result<Vec<u32>, PromptError> {
        if request.messages.is_empty() {
            return Err(PromptError::Invalid("there is no message".to_owned()));
        }
        let texts = request.messages.iter().map(text).collect::<Result<Vec<_>, _>>()?;
        let marked: Vec<_> = request
            .messages
            .iter()
            .enumerate()
            .map(|(index, message)| (role(message.role), format!("{OPEN}{index}{CLOSE}")))
            .collect();
        let rendered = self
            .render(&marked)
            .map_err(|error| PromptError::Invalid(format!("the chat template refuses the messages: {error}")))?;
        self.tokens(&rendered, &texts, tokenizer).map_err(PromptError::Invalid)
    }

    fn render(&self, messages: &[(&str, String)]) -> Result<String, minijinja::Error> {
        let messages: Vec<_> =
            messages.iter().map(|(role, content)| context! { role => *role, content => content.as_str() }).collect();
        self.environment.get_template("chat")?.render(context! {
            messages,
            add_generation_prompt => true,
            // Models that may think aloud answer at once: what they would think counts against the answer's length.
            enable_thinking => false,
            bos_token => self.begin.as_str(),
            eos_token => self.end.as_str(),
        })
    }

    /// Cuts the rendered template at control tokens and puts the messages' texts in.
    fn tokens(&self, rendered: &str, texts: &[String], tokenizer: &Tokenizer) -> Result<Vec<u32>, String> {
        let mut tokens = Vec::new();
        let mut plain = String::new();
        let mut rest = rendered;
        while let Some(first) = rest.chars().next() {
            if let Some((name, id)) = control_at(rest, tokenizer) {
                tokens.extend(tokenizer.encode(&plain)?);
                tokens.push(id);
                plain.clear();
                rest = &rest[name..];
                if tokenizer.strips_after_control() {
                    rest = rest.trim_start();
                }
            } else if let Some((text, after)) = message_at(rest, texts) {
                plain.push_str(text);
                rest = after;
            } else {
                plain.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        tokens.extend(tokenizer.encode(&plain)?);
        if let Some(begin) = tokenizer.begin().filter(|begin| tokenizer.adds_begin() && tokens.first() != Some(begin)) {
            tokens.insert(0, begin);
        }
        Ok(tokens)
    }
}

/// Why a conversation cannot be put to the model.
#[derive(Debug)]
pub(crate) enum PromptError {
    /// The model has no means for this.
    Unsupported(&'static str),
    /// The request is wrong.
    Invalid(String),
}

/// The longest control token that `text` starts with: its length and its id.
fn control_at(text: &str, tokenizer: &Tokenizer) -> Option<(usize, u32)> {
    tokenizer
        .control()
        .iter()
        .filter(|(name, _)| text.starts_with(name.as_str()))
        .map(|(name, id)| (name.len(), *id))
        .max()
}

fn message_at<'t, 'r>(rest: &'r str, texts: &'t [String]) -> Option<(&'t str, &'r str)> {
    let (index, after) = rest.strip_prefix(OPEN)?.split_once(CLOSE)?;
    let text = texts.get(index.parse::<usize>().ok()?)?;
    Some((text, after))
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::Assistant => "assistant",
        // The model was not trained on tools: what a tool answered is put to it like a user's words.
        Role::User | Role::Tool => "user",
    }
}

fn text(message: &Message) -> Result<String, PromptError> {
    let mut text = String::new();
    for part in &message.parts {
        match part {
            Part::Text { text: more } => text.push_str(more),
            Part::ToolResult(result) => text.push_str(&result.content),
            Part::ToolCall(call) => {
                let call = serde_json::json!({ "name": call.name, "arguments": call.arguments });
                text.push_str(&call.to_string());
            }
            Part::Reasoning { .. } | Part::EncryptedReasoning { .. } => {}
            Part::Image { .. } => return Err(PromptError::Unsupported("read images")),
            Part::Document { .. } => return Err(PromptError::Unsupported("read documents")),
            _ => return Err(PromptError::Unsupported("read this kind of message part")),
        }
    }
    Ok(text)
}
