# ruff: noqa: E501 (a row of a table of patterns is read as a whole)
"""The words by which requests are known, English and Chinese: data for `parse`, as regular expressions.

They meet a text whose literals are masked (see `masks`); ``{A}`` stands for any masked text, ``{P}`` for a path.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from paitui.model.offline.masks import ANY, LITERAL, PATH


def _compile(pattern: str) -> re.Pattern[str]:
    pattern = pattern.replace("{A}", ANY).replace("{L}", LITERAL).replace("{P}", PATH).replace("{W}", _WORD)
    return re.compile(pattern, re.IGNORECASE)


_WORD = r"[A-Za-z_$][\w$-]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*"
_PROJECT = r"(?:project|repo(?:sitory)?|code ?base|source ?tree)"
_PROJECT_ZH = r"(?:项目|仓库|代码库|工程|代码仓|源码|代码)"
_READ_EN = (
    r"\b(?:read|open|show|display|print|cat|view|look (?:at|into|through)|check(?: out)?|summari[sz]e|explain|describe"
    r"|review|go through|inspect|head|what(?:'s| is| does)|tell me (?:about|what)|see)\b"
)
_READ_ZH = r"读取?|阅读|查看|看|打开|显示|总结|概括|解释|讲讲|讲解|说明|介绍|归纳|有什么|写了什么|说了什么|讲了什么|内容|过一遍"

FILLER_BEFORE = _compile(
    r"^(?:[\s,，、:：.。!！]|(?:please|kindly|(?:can|could|would|will) (?:you|we|u)|i(?:'d| would) like (?:you )?to|"
    r"i (?:want|need) (?:you )?to|help me(?: to)?|let'?s|now|first(?:ly)?|next|finally|also|then|just|hey|and|so|ok(?:ay)?|"
    r"after that|afterwards|go and|try to|to)(?=[\s,:]|$)"
    r"|请你?|麻烦你?|帮我|帮忙|帮|能不能|可不可以|能否|可否|可以|你能|能|我想要?|我要|我需要|先|再|然后|接着|最后|之后|随后|现在|"
    r"顺便|那么?|好的|好|嗯|给我|替我|并且|并|和|以及|来|一下|你(?=[读看列搜查找运跑写建创帮]))+"
)
FILLER_AFTER = _compile(
    r"(?:[\s,，.。!！?？~]|\b(?:please|for me|thanks|thank you|now|ok|okay|will you)\b|"
    r"可以吗|好吗|行吗|谢谢你?|吧|吗|呢|啊|哈|给我|一下)+$"
)

HARD_BREAK = _compile(
    r"[;；。！!？?\n]+|\.(?=\s|$)|,?\s*\b(?:and )?(?:then|after that|afterwards)\b,?|[,，]?\s*(?:然后|接着|随后|之后再|最后)"
)
SOFT_BREAK = _compile(r"[,，、]|\band\b|&|并且|并|以及|和|再|,?\s*\balso\b|顺便")

CONTINUE = _compile(
    r"(?:continue|go on|go ahead|keep going|carry on|proceed|resume|go)(?: (?:with )?(?:it|that|this|the work|working|from there|"
    r"where (?:you|we) (?:left off|stopped)))?|(?:请)?(?:继续|接着|往下)(?:做|来|干|说|下去|执行|进行|完成|刚才的|上次的|未完成的|任务|工作|往下)*"
)
GREET = _compile(
    r"(?:hi|hello|hey|hiya|howdy|good (?:morning|afternoon|evening|day)|thanks|thank you|thx|cheers|bye)(?: there| you| all| paitui| a lot"
    r"| very much| so much)*|(?:你好|您好|嗨|哈喽|哈啰|早上好|上午好|下午好|晚上好|早|在吗|谢谢|多谢|辛苦了|再见)(?:呀|啊|你|了|paitui)*"
)
HELP = _compile(
    r"\bwhat (?:all )?(?:can|do|could) you (?:do|help)|\bwhat are you(?: able to do| capable of)?$|\bwho are you|\bhow (?:do|can|should) i use"
    r"|^help(?: me| please)?$|\byour (?:abilities|capabilities|features|commands)|你(?:都|还)?(?:能|会|可以)(?:帮我)?(?:做|干)(?:些|点)?(?:什么|啥|嘛)"
    r"|能(?:做|干)(?:些)?(?:什么|啥)|怎么(?:用|使用)你?$|^帮助$|有(?:什么|哪些)(?:功能|本领|能力)|你是谁|你会什么"
)
RECAP = _compile(
    r"\b(?:summari[sz]e|recap|sum up|review|summary of)\b.{0,80}\b(?:conversation|chat|discussion|session|so far|dialog(?:ue)?)\b"
    r"|\brecap\b|\bwhat (?:have|did) (?:we|you) (?:do(?:ne)?|discuss(?:ed)?|talk(?:ed)? about|said|say)"
    r"|(?:总结|概括|回顾|梳理|归纳|复述).{0,40}(?:对话|聊天|会话|交流|到目前为止|至今|刚才)|^回顾(?:一下)?$"
    r"|(?:我们|你)(?:刚才|之前|目前|到现在|到目前为止|已经|都)*(?:聊|做|说|讨论|完成)(?:过|了)(?:些|哪些)?(?:什么|啥|事|工作)"
)
SURVEY = _compile(
    r"\b(?:survey|overview|explore|analy[sz]e|study|get to know|understand|look (?:around|over|at|through)|walk (?:me )?through|tour|"
    r"examine|describe|explain|summari[sz]e|introduce|inspect|investigate|review|scan|tell me about|show me around|what(?:'s| is| does))\b"
    rf".{{0,120}}\b{_PROJECT}\b"
    rf"|\b{_PROJECT}\b.{{0,120}}\b(?:overview|survey|structure|tour|summary|about)\b|^(?:survey|overview|look around)$"
    r"|(?:看|了解|概览|概述|浏览|分析|调研|梳理|熟悉|介绍|总结|概括|扫|过|研究|通读|摸清|考察|探索|认识|说明|讲)(?:看|一?下|一?遍|讲)?"
    rf"(?:这个|这|整个|本|当前|该|我们|我|的|一下|下)*{_PROJECT_ZH}"
    rf"|{_PROJECT_ZH}(?:的|做个|来个|进行)*(?:概览|概况|总览|全貌|整体结构|总体结构|是(?:做|干)(?:什么|啥|嘛))"
    r"|这(?:个)?(?:项目|仓库|工程)(?:是)?(?:干|做)(?:什么|嘛|啥)|^(?:概览|概览一下|全面了解一下)$"
)
CREATE = _compile(
    r"(?:\b(?:create|make|generate|scaffold|start|set ?up|bootstrap|initiali[sz]e|init|new|build|write|add)\b|"
    r"创建|新建|建立|建|生成|搭建|搭|写|做|初始化|起|弄|来)"
    r".{0,60}?(?P<kind>python|py|java|jdk|maven|node(?:[. ]?js)?|javascript|js|npm)(?![A-Za-z]).{0,60}?"
    r"(?:\b(?:project|app|application|program|package|skeleton|module)\b|项目|工程|程序|应用|骨架|脚手架)"
)
CREATE_NAME = _compile(
    r"(?:\b(?:called|named|name(?: is|:)?|as)\s+|名(?:字|称)?(?:叫做?|为|是)|叫做?|命名为|取名为?)[\s:：]*(?P<name>{A}|[A-Za-z][\w-]*)"
)
CREATE_VERSION = _compile(
    r"(?:\b(?:java|jdk|python|node(?:\.?js)?)\s*(?:version|版本)?\s*|\b(?:version|release)\s*|(?:版本|用|使用)\s*(?:是|为)?\s*)v?(\d+(?:\.\d+)?)\b"
)
USED_VERSION = MappingProxyType(
    {
        "java": _compile(r"(?<![A-Za-z])(?:java|jdk)(?![A-Za-z])[^\d\n]{0,12}(\d{1,2})(?![\d.]*\d)"),
        "python": _compile(r"(?<![A-Za-z])python(?![A-Za-z])[^\d\n]{0,12}(3\.\d{1,2})"),
        "node": _compile(r"(?<![A-Za-z])node(?:\.?js)?(?![A-Za-z])[^\d\n]{0,12}(\d{1,2})(?![\d.]*\d)"),
    }
)
"""How a version stands in a user's words; the group is the number."""

RUN = _compile(r"\b(?:run|execute|launch|exec|invoke)\b|运行|执行|跑(?:一?下|一?遍|个)?")
BARE_COMMAND = _compile(
    r"^(?:git|npm|npx|pnpm|yarn|pytest|python3?|pip|uv|cargo|mvn|gradle|node|javac|pwd|ruff|mypy|tox|go (?:test|build|run|vet)|make(?! (?:an?|the|me|sure|it)\b))"
    r"(?![\w.])(?:{A}|[\x20-\x7e])*$"
)
"""A command line without a verb before it."""
TESTS = _compile(
    r"\b(?:all )?(?:the |our |my )?(?:unit |whole |full )*(?:tests?|test suite|test cases)\b|(?:所有|全部|单元|整个|项目的?)*(?:测试|用例|单测)"
)
SEARCH = _compile(
    r"\b(?:search(?: for)?|grep(?: for)?|look for|occurrences of|usages? of|uses of|who (?:uses|calls))\b"
    r"|全局搜索|搜索|搜一?下|检索|查找|搜|找一?下|找出?|哪里用到?了?|哪些地方(?:用|调用)到?了?|\bfind(?: all)?\b"
)
FIND = (
    _compile(
        r"\bwhere(?:'s| is| are| was)\s+(?:the\s+)?(?:(?:function|class|method|struct|type|interface|variable|constant|def(?:inition)?(?: of)?)\s+)*"
        r"(?P<name>{A}|{W})(?:\s+(?:function|class|method|struct|type|interface))?(?:\s+(?:defined|declared|implemented|located|coming from))?(?:\s+in\b.*)?\s*$"
    ),
    _compile(
        r"\b(?:find|locate|show(?: me)?|go to|jump to|look up|search for)\s+(?:out\s+)?where\s+(?:the\s+)?(?:(?:function|class|method)\s+)?"
        r"(?P<name>{A}|{W})(?:\s+(?:function|class|method))?\s+(?:is|are|gets?)\b"
    ),
    _compile(
        r"\b(?:definitions?|declarations?|implementations?)\s+(?:of|for)\s+(?:the\s+)?(?:(?:function|class|method)\s+)?(?P<name>{A}|{W})"
    ),
    _compile(r"\bwhere do (?:we|you|they|i) (?:define|declare|implement)\s+(?:the\s+)?(?P<name>{A}|{W})"),
    _compile(
        r"\b(?:find|locate)\s+(?:the\s+)?(?:function|class|method|struct|type|interface|enum|symbol)\s+(?P<name>{A}|{W})"
    ),
    _compile(
        r"\b(?:find|locate)\s+(?:the\s+)?(?P<name>{A}|{W})\s+(?:function|class|method|struct|interface|enum|definition)\b"
    ),
    _compile(
        r"(?P<name>{A}|{W})\s*(?:这个|那个)?(?:函数|类|方法|变量|常量|接口|符号)?\s*(?:是|都)?在?\s*(?:哪里|哪儿|哪个文件|什么地方|何处|哪)"
        r"\s*(?:里|中)?(?:被)?(?:定义|声明|实现)?"
    ),
    _compile(
        r"(?:哪里|哪儿|哪个文件|什么地方|在哪)(?:里|中)?(?:定义|声明|实现)(?:了|过)?\s*(?:函数|类|方法)?\s*(?P<name>{A}|{W})"
    ),
    _compile(
        r"(?:函数|类|方法|变量|接口|符号)?\s*(?P<name>{A}|{W})\s*(?:函数|类|方法|变量|接口)?\s*的?\s*(?:定义|声明|实现)(?:的?(?:位置|地方)|在)?"
    ),
)
LIST = _compile(
    r"^\s*(?:ls|dir|tree)\b"
    r"|\b(?:list|show(?: me)?|display|enumerate|what(?:'s| is| are)?|which|see|print|give me)\b.{0,80}\b(?:files?|folders?|director(?:y|ies)|dirs?|tree|contents of)\b"
    r"|^\s*(?:list|enumerate)\b|\bwhat(?:'s| is) in (?:the )?(?:folder|directory|dir)\b"
    r"|列出|列一?下|列举|列表|目录(?:结构|树|内容)?|文件夹|有(?:哪些|什么|啥)文件|文件列表|(?:下面?|里面?|中)的?(?:所有|全部)?文件"
)
LIST_PLACE = (
    _compile(
        r"\b(?:in|of|under|inside|from|within)\s+(?:the\s+|my\s+)?(?:folder|directory|dir)?\s*(?P<name>{A}|[A-Za-z_.][\w.-]*)"
    ),
    _compile(r"(?P<name>{A}|[A-Za-z_][\w.-]*)\s+(?:folder|directory|dir)\b"),
    _compile(r"(?P<name>{A}|[A-Za-z_][\w.-]*)\s*(?:这个)?(?:目录|文件夹|子目录)?\s*(?:下面?|里面?|中|内|之下|的)"),
    _compile(r"(?P<name>{A}|[A-Za-z_][\w.-]*)\s*(?:目录|文件夹)"),
    _compile(r"^\s*(?:ls|dir|tree|list)\s+(?P<name>{A}|[A-Za-z_.][\w./-]*)\s*$"),
    _compile(r"(?:列出|列一?下|列举)\s*(?P<name>{A}|[A-Za-z_][\w.-]*)\s*$"),
    _compile(r"(?:目录|文件夹)\s*(?P<name>{A}|[A-Za-z_][\w.-]*)"),
)
NO_PLACE = frozenset(
    {
        "the",
        "this",
        "here",
        "project",
        "repo",
        "repository",
        "current",
        "my",
        "all",
        "files",
        "file",
        "folder",
        "directory",
        "dir",
        "code",
        "codebase",
        "sources",
        "source",
        "everything",
    }
)
"""Words in the place of a folder's name that mean the project itself."""
FILES_OF = _compile(
    r"\b(?P<kind>python|java|javascript|typescript|markdown|json|toml|yaml|go|rust|c\+\+|html|css|shell|test)\s+(?:source\s+)?files?\b"
    r"|(?P<kind_zh>python|java|javascript|typescript|markdown|json|toml|yaml|go|rust|html|css|shell|测试)\s*(?:源)?文件"
)
FILE_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "python": "**/*.py",
        "java": "**/*.java",
        "javascript": "**/*.js",
        "typescript": "**/*.ts",
        "markdown": "**/*.md",
        "json": "**/*.json",
        "toml": "**/*.toml",
        "yaml": "**/*.y*ml",
        "go": "**/*.go",
        "rust": "**/*.rs",
        "c++": "**/*.cpp",
        "html": "**/*.html",
        "css": "**/*.css",
        "shell": "**/*.sh",
        "test": "**/*test*",
        "测试": "**/*test*",
    }
)
LOOK = _compile(r"\b(?:list|find|show|glob|locate|where|which|all|every|search|look for)\b|列|找|搜|查|哪|所有|匹配")
READ = _compile(f"{_READ_EN}|{_READ_ZH}")
FETCH = _compile(rf"\b(?:fetch|visit|browse|get|retrieve|go to|load)\b|{_READ_EN}|访问|抓取|获取|浏览|{_READ_ZH}")
"""What is asked about a web address that stands beside it."""
WEB_SEARCH = _compile(
    r"\b(?:search|google|look up|look on)\s+(?:the\s+)?(?:web|internet|online|net)\s+(?:for\s+|about\s+)?(?P<query>.+)"
    r"|(?:上网|联网|在?网上|到网上)(?:搜索?一?下?|查找?一?下?|找一?下?|检索)\s*(?P<query_zh>.+)"
)
SUMMARISE = _compile(
    r"\b(?:summari[sz]e|summary|sum (?:it|them|that) up|explain|describe|outline|gist|key points|tell me (?:about|what)|what(?:'s| is| does)|go through)\b"
    r"|总结|概括|归纳|摘要|要点|解释|讲讲|讲解|说明|介绍|说说|概述|梗概|大意"
)

CONTENT = r"(?P<content>{L}|.+?)(?P<end>(?=[,，]?\s*(?:\b(?:and )?then\b|然后|接着|\band (?:then )?(?:run|read|show|list)\b|并(?:运行|读取|显示))|$))"
WRITE = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        item.replace("{A}", ANY).replace("{L}", LITERAL).replace("{P}", PATH).replace("<content>", "<content>")
        for item in (
            r"\b(?:write|create|save|make|put|add|generate)\s+(?:me\s+)?(?:(?:a|an|the|new|text)\s+)*(?:file\s+)?(?:called\s+|named\s+)?(?P<path>{A})\s*(?:file\s*)?,?\s*"
            r"(?:(?:with|containing|that (?:says|contains|reads)|whose|and put|saying|having|holding)\s*(?:the\s+)?(?:following\s+)?(?:contents?|text|lines?|words?)?\s*(?:is|are|in it)?|:)\s*[:：]?\s*"
            + CONTENT.replace("{L}", LITERAL),
            r"\b(?:write|save|put|store|add)\s+(?:the\s+)?(?:text|line|contents?|words?)?\s*(?P<content>{L}|[^\n]{1,300}?)\s+(?:in)?to\s+(?:(?:a|the|new)\s+)*(?:file\s+)?(?:called\s+|named\s+)?(?P<path>{P}|{L})(?P<end>)",
            r"(?:把|将)\s*(?:内容|文字|文本)?\s*(?P<content>{L}|.{1,300}?)\s*(?:写入|写到|写进|保存到|保存为|存到|存入|放到|放进)(?:了)?\s*(?:文件)?\s*(?P<path>{A})(?P<end>)(?:\s*(?:里面?|中|文件))*",
            r"(?:写入|写一?个|新建|创建|生成|建一?个|写)\s*(?:一个)?\s*(?:文件)?\s*(?P<path>{P}|{L})\s*(?:文件)?\s*[,，]?\s*(?:其)?(?:内容|里面)(?:写)?(?:为|是|如下)?\s*[:：]?\s*"
            + CONTENT.replace("{L}", LITERAL),
            r"(?:在|往|向)\s*(?P<path>{A})\s*(?:文件)?\s*(?:里面?|中)?\s*(?:写入|写上|写|放入)\s*(?:内容)?\s*[:：]?\s*"
            + CONTENT.replace("{L}", LITERAL),
        )
    )
)
EDIT = tuple(
    re.compile(item.replace("{A}", ANY).replace("{L}", LITERAL).replace("{P}", PATH), re.IGNORECASE)
    for item in (
        r"\bin\s+(?:the\s+)?(?:file\s+)?(?P<path>{A})\s*,?\s*(?:please\s+)?(?:replace|change|rename|substitute)\s+(?:every\s+|all\s+|the\s+(?:word|text)\s+)*(?P<old>{A}|\S{1,80}(?:\s\S{1,80}){0,6}?)\s+(?:with|by|to|into|for)\s+(?P<new>{A}|[^\s,，;；。]+)",
        r"\b(?:replace|change|rename|substitute)\s+(?:every\s+|all\s+|the\s+(?:word|text)\s+)*(?P<old>{A}|\S{1,80}(?:\s\S{1,80}){0,6}?)\s+(?:with|by|to|into|for)\s+(?P<new>{A}|\S{1,80}(?:\s\S{1,80}){0,6}?)\s+(?:in|inside|within|of)\s+(?:the\s+)?(?:file\s+)?(?P<path>{A})",
        r"(?:把|将)\s*(?P<path>{P})\s*(?:文件)?\s*(?:里面?|中)?\s*的?\s*(?P<old>{A}|\S{1,80}?)\s*(?:都|全部)?\s*(?:替换成|替换为|改成|改为|换成|换为|修改为|修改成)\s*(?P<new>{A}|[^\s,，;；。]+)",
        r"在\s*(?P<path>{A})\s*(?:文件)?\s*(?:里面?|中)?\s*[,，]?\s*(?:把|将)\s*(?P<old>{A}|\S{1,80}?)\s*(?:都|全部)?\s*(?:替换成|替换为|改成|改为|换成|换为|修改为|修改成)\s*(?P<new>{A}|[^\s,，;；。]+)",
        r"(?:把|将)\s*(?P<old>{L})\s*(?:替换成|替换为|改成|改为|换成)\s*(?P<new>{L})\s*[,，]?\s*(?:在)?(?:文件)?\s*(?P<path>{P})\s*(?:里面?|中)?",
    )
)
