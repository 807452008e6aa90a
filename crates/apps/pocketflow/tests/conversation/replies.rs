//! Replies composed of the forms that people use: polite openings, verdicts, objects, exceptions, remarks.

use proptest::prelude::*;

/// What a reply was composed to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Approve,
    Reject,
    Edit,
    Remark,
    Stop,
    Question,
    Queries,
    Retry,
}

#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) meaning: Meaning,
    pub(crate) text: String,
}

/// The forms of one language.
struct Forms {
    openings: &'static [&'static str],
    approvals: &'static [&'static str],
    objects: &'static [&'static str],
    /// What behind an approval makes an edit of it.
    exceptions: &'static [&'static str],
    rejections: &'static [&'static str],
    /// What behind an approval, or alone, is no verdict.
    remarks: &'static [&'static str],
    stops: &'static [&'static str],
    questions: &'static [&'static str],
    retries: &'static [&'static str],
    thanks: &'static [&'static str],
}

const FORMS: &[Forms] = &[
    Forms {
        openings: &["hi, ", "ok ", "thanks, ", "hmm, ", "no, ", "well ", "dear colleague, "],
        approvals: &["looks great", "go ahead", "perfect", "i approve", "fine by me", "yes", "all good", "approve"],
        objects: &[" with these", " for me", " like this", " as it is"],
        exceptions: &[
            " apart from the second",
            ", everything but 2",
            " but drop the last one",
            ", leave the other out",
            " except for number 1",
            ", only make it shorter",
            " if you add one on salt",
        ],
        rejections: &[
            "not good",
            "i cannot approve this",
            "this is wrong",
            "do it again",
            "none of these",
            "i hate it",
        ],
        remarks: &[
            "i have to show it to my supervisor first",
            "hold on a second",
            "let me sleep on it",
            "my boss has to approve it first",
            "i will look at it tomorrow",
            "once my supervisor says yes",
            "not yet",
        ],
        stops: &["stop, do not search the network", "stop", "cancel", "please stop, nothing must be sent"],
        questions: &["is it any good?", "where did you look", "why these?", "shall i approve?", "what if i say yes?"],
        retries: &["retry", "try again", "yes try again"],
        thanks: &["", " thanks!", ", thank you", " 🙏", "!", "."],
    },
    Forms {
        openings: &["hallo, ", "ok ", "danke, ", "hm, ", "nein, ", "also "],
        approvals: &["sieht super aus", "leg los", "perfekt", "genehmigt", "passt so", "ja", "alles gut"],
        objects: &[" für mich", " so", " damit"],
        exceptions: &[", bis auf die zweite", ", außer nummer 2", ", aber die letzte weg", ", nur kürzer bitte"],
        rejections: &["nicht gut", "das kann ich nicht freigeben", "das ist falsch", "mach es neu", "taugt nichts"],
        remarks: &[
            "ich muss es erst meiner Betreuerin zeigen",
            "moment mal",
            "mein Chef muss noch zustimmen",
            "ich schau es mir morgen an",
            "sobald meine Chefin ja sagt",
            "noch nicht",
        ],
        stops: &["stopp, nicht im netz suchen", "abbrechen", "stopp"],
        questions: &["ist das gut?", "wo hast du gesucht", "warum diese?"],
        retries: &["nochmal versuchen", "ja nochmal"],
        thanks: &["", " danke!", ", vielen Dank", "."],
    },
    Forms {
        openings: &["bonjour, ", "ok ", "merci, ", "non, ", "alors "],
        approvals: &["c'est parfait", "vas-y", "j'approuve", "super", "ça me va", "oui"],
        objects: &[" pour moi", " comme ça"],
        exceptions: &[", sauf la deuxième", ", à part la 2", " mais enlève la dernière", ", en plus court"],
        rejections: &["pas bon", "je ne peux pas approuver", "c'est faux", "recommence", "ça ne va pas"],
        remarks: &[
            "je dois d'abord le montrer à ma directrice",
            "attends une seconde",
            "mon chef doit encore valider",
            "je regarde demain",
            "pas encore",
        ],
        stops: &["arrête, ne cherche rien", "stop", "annule"],
        questions: &["c'est bon ?", "où as-tu cherché ?", "pourquoi celles-là ?"],
        retries: &["encore une fois", "réessaie"],
        thanks: &["", " merci !", ", merci beaucoup", "."],
    },
    Forms {
        openings: &["hola, ", "ok ", "gracias, ", "no, ", "bueno "],
        approvals: &["está genial", "adelante", "apruebo", "perfecto", "me parece bien", "sí"],
        objects: &[" así", " por mi parte"],
        exceptions: &[", menos la segunda", ", excepto la 2", " pero quita la última", ", pero más corto"],
        rejections: &["no está bien", "no puedo aprobar esto", "está mal", "hazlo de nuevo", "no me sirve"],
        remarks: &[
            "primero tengo que enseñárselo a mi tutor",
            "espera un segundo",
            "mi jefe tiene que aprobarlo",
            "lo miro mañana",
            "todavía no",
        ],
        stops: &["para, no busques en internet", "cancela", "basta"],
        questions: &["¿está bien?", "¿dónde has buscado?", "¿por qué estas?"],
        retries: &["otra vez", "inténtalo de nuevo"],
        thanks: &["", " ¡gracias!", ", muchas gracias", "."],
    },
    Forms {
        openings: &["olá, ", "ok ", "obrigado, ", "não, ", "bom "],
        approvals: &["está ótimo", "pode seguir", "aprovo", "perfeito", "sim"],
        objects: &[" assim", " por mim"],
        exceptions: &[", menos a segunda", ", exceto a 2", " mas tira a última", ", mas mais curto"],
        rejections: &["não está bom", "não posso aprovar isso", "está errado", "refaça", "não gostei"],
        remarks: &[
            "tenho que mostrar à minha orientadora primeiro",
            "espera um segundo",
            "meu chefe precisa aprovar",
            "amanhã eu vejo",
            "ainda não",
        ],
        stops: &["para, não procure na internet", "cancela", "pare"],
        questions: &["está bom?", "onde você procurou?", "por que essas?"],
        retries: &["de novo", "tenta de novo"],
        thanks: &["", " obrigada!", ", muito obrigado", "."],
    },
    Forms {
        openings: &["ciao, ", "ok ", "grazie, ", "no, ", "allora "],
        approvals: &["va benissimo", "procedi", "approvo", "perfetto", "mi piace molto", "sì"],
        objects: &[" così", " per me"],
        exceptions: &[", tranne la seconda", ", a parte la 2", " ma togli l'ultima", ", ma più corto"],
        rejections: &["non va bene", "non posso approvare", "è sbagliato", "rifallo", "non mi piace"],
        remarks: &[
            "prima devo farlo vedere al mio relatore",
            "aspetta un attimo",
            "il mio capo deve approvare",
            "lo guardo domani",
            "non ancora",
        ],
        stops: &["fermati, non cercare in rete", "annulla", "basta"],
        questions: &["va bene?", "dove hai cercato?", "perché queste?"],
        retries: &["riprova", "di nuovo"],
        thanks: &["", " grazie!", ", grazie mille", "."],
    },
    Forms {
        openings: &["hoi, ", "ok ", "bedankt, ", "nee, ", "nou "],
        approvals: &["ziet er goed uit", "ga maar door", "akkoord", "perfect", "prima", "ja"],
        objects: &[" zo", " wat mij betreft"],
        exceptions: &[", behalve de tweede", ", op nummer 2 na", " maar haal de laatste weg", ", maar wel korter"],
        rejections: &["niet goed", "dit kan ik niet goedkeuren", "dit is fout", "doe het opnieuw", "slaat nergens op"],
        remarks: &[
            "ik moet het eerst aan mijn begeleider laten zien",
            "wacht even",
            "mijn baas moet het nog goedkeuren",
            "ik kijk er morgen naar",
            "nog niet",
        ],
        stops: &["stop, niet op internet zoeken", "annuleer", "stop maar"],
        questions: &["is het goed?", "waar heb je gezocht?", "waarom deze?"],
        retries: &["opnieuw", "probeer het nog eens"],
        thanks: &["", " bedankt!", ", dank je wel", "."],
    },
    Forms {
        openings: &["привет, ", "ок ", "спасибо, ", "нет, ", "ну "],
        approvals: &["всё отлично", "запускай", "одобряю", "идеально", "меня устраивает", "да"],
        objects: &[" так", " по этим"],
        exceptions: &[", кроме второго", ", за исключением 2", ", но убери последний", ", только короче"],
        rejections: &["не годится", "не могу это одобрить", "это неправильно", "переделай", "мне не нравится"],
        remarks: &[
            "сначала покажу научруку",
            "подожди секунду",
            "начальник должен одобрить",
            "посмотрю завтра",
            "ещё нет",
        ],
        stops: &["стоп, в сети ничего не ищи", "отмена", "хватит"],
        questions: &["это хорошо?", "где ты искал?", "почему эти?"],
        retries: &["ещё раз", "попробуй снова"],
        thanks: &["", " спасибо!", ", большое спасибо", "."],
    },
    Forms {
        openings: &["こんにちは、", "はい、", "いえ、", "えっと、"],
        approvals: &["すごくいいです", "進めてください", "承認します", "完璧です", "これでいいです", "はい"],
        objects: &["。このままで", "。この案で"],
        exceptions: &["、2番以外は", "、でも最後は削除して", "、ただ方法だけ短くして", "、3番を除いて"],
        rejections: &["だめです", "承認できません", "違います", "作り直してください", "気に入りません"],
        remarks: &[
            "先に指導教員に見せないといけません",
            "ちょっと待ってください",
            "上司の承認が必要です",
            "明日見ます",
            "まだです",
        ],
        stops: &["ストップ、検索しないで", "中止", "キャンセル"],
        questions: &["これでいいですか？", "どこを探しましたか", "なぜこれですか？"],
        retries: &["もう一度", "再試行"],
        thanks: &["", "。ありがとうございます", "！", "。"],
    },
    Forms {
        openings: &["你好，", "好，", "不，", "嗯，"],
        approvals: &["很好", "开始搜索吧", "我同意", "完美", "可以", "是的"],
        objects: &["，就这样", "，就用这些"],
        exceptions: &["，除了第二个", "，但是删掉最后一个", "，2不要", "，只是方法短一点"],
        rejections: &["不行", "我不能批准", "不对", "重新来", "我不喜欢"],
        remarks: &["我得先给导师看看", "等一下", "老板还要批准", "我明天再看", "还没有"],
        stops: &["停，不要上网搜", "取消", "停止"],
        questions: &["这样好吗？", "你在哪里搜的？", "为什么是这些？"],
        retries: &["再试一次", "重试"],
        thanks: &["", "，谢谢", "！", "。"],
    },
    Forms {
        openings: &["안녕하세요, ", "네, ", "아뇨, ", "음, "],
        approvals: &["아주 좋아요", "진행해 주세요", "승인합니다", "완벽해요", "괜찮아요", "네"],
        objects: &[" 이대로", " 이걸로"],
        exceptions: &[" 2번 빼고", ", 그런데 마지막은 빼 주세요", ", 방법만 짧게", " 두 번째만 제외하고"],
        rejections: &["안 좋아요", "승인할 수 없어요", "틀렸어요", "다시 만들어 주세요", "마음에 안 들어요"],
        remarks: &["교수님께 먼저 보여드려야 해요", "잠깐만요", "팀장님이 승인해야 해요", "내일 볼게요", "아직이에요"],
        stops: &["그만, 인터넷 검색하지 마세요", "취소", "중단"],
        questions: &["이게 좋은가요?", "어디서 찾았어요?", "왜 이거예요?"],
        retries: &["다시", "재시도"],
        thanks: &["", " 감사합니다", "!", "."],
    },
];

/// Words to search for, in the ways they are offered.
const QUERIES: &[&str] = &[
    "ocean tides; moon",
    "try salt marshes",
    "tidal energy in estuaries",
    "Gezeiten im Wattenmeer",
    "versuch mal mit Ebbe und Flut",
    "essaie plutôt marées et courants",
    "mareas y pesca; luna",
    "приливы и луна",
    "潮汐と月",
    "潮汐能",
    "조석 간만의 차",
    "maree e luna",
    "getijden in de Waddenzee",
];

/// A reply of any meaning and language.
pub(crate) fn reply() -> impl Strategy<Value = Reply> {
    use Meaning::{Approve, Edit, Queries, Question, Reject, Remark, Retry, Stop};
    // Approvals often enough to come to every question.
    let meaning = prop_oneof![
        6 => Just(Approve),
        1 => Just(Reject),
        3 => Just(Edit),
        4 => Just(Remark),
        2 => Just(Stop),
        1 => Just(Question),
        2 => Just(Queries),
        1 => Just(Retry),
    ];
    let bare = Just(Reply { meaning: Approve, text: "approve".to_owned() });
    let picks = (any::<[prop::sample::Index; 4]>(), any::<[bool; 4]>(), 0..3_u8);
    let composed = (meaning, 0..FORMS.len(), picks).prop_map(|(meaning, forms, (at, some, spelling))| {
        let forms = &FORMS[forms];
        let one = |list: &[&'static str], at: prop::sample::Index| *at.get(list);
        let opening = if some[0] { one(forms.openings, at[0]) } else { "" };
        let thanks = one(forms.thanks, at[3]);
        let object = if some[1] { one(forms.objects, at[2]) } else { "" };
        let approval = one(forms.approvals, at[1]);
        let text = match meaning {
            Approve => format!("{opening}{approval}{object}{thanks}"),
            Edit => format!("{opening}{approval}{}{thanks}", one(forms.exceptions, at[2])),
            Reject => format!("{opening}{}{object}{thanks}", one(forms.rejections, at[1])),
            Remark if some[2] => {
                let joint = if some[3] { ", " } else { ". " };
                format!("{opening}{approval}{joint}{}{thanks}", one(forms.remarks, at[2]))
            }
            Remark => format!("{opening}{}{thanks}", one(forms.remarks, at[2])),
            Stop => one(forms.stops, at[1]).to_owned(),
            Question => one(forms.questions, at[1]).to_owned(),
            Retry => one(forms.retries, at[1]).to_owned(),
            Queries => one(QUERIES, at[1]).to_owned(),
        };
        let text = match spelling {
            0 => text,
            1 => text.to_lowercase(),
            _ => text.to_uppercase(),
        };
        Reply { meaning, text }
    });
    prop_oneof![1 => bare, 9 => composed]
}
