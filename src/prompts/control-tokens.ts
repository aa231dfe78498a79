/**
 * Models write what other models read. Text that a chat template gives a meaning to (`<|im_start|>`, `</s>`,
 * `[INST]`, `<think>` …) must not act when it comes from a reply or a data set: a blank after the opening bracket
 * makes it plain text. In Python code outside strings such a blank changes nothing.
 */
const controlTokens = new RegExp(
  [
    // ChatML, Llama 3, Phi, Qwen, StarCoder; DeepSeek uses full-width bars.
    "<(?=[|\\uff5c][^|\\uff5c<>\\n]{1,60}[|\\uff5c]>)",
    "<(?=/?(?:s|unk|pad|bos|eos|think|answer|tool_call|tool_response|start_of_turn|end_of_turn|fim_\\w{1,20})>)",
    "<(?=</?SYS>>)",
    "\\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\\])",
  ].join("|"),
  "g",
);

/** The text with every control token made harmless. Use it on everything that goes into a prompt. */
export function neutralizeControlTokens(text: string): string {
  return text.replace(controlTokens, (bracket) => `${bracket} `);
}
