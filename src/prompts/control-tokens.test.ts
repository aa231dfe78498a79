import { describe, expect, it } from "vitest";
import { neutralizeControlTokens } from "./control-tokens.ts";

describe("neutralizeControlTokens", () => {
  it.each([
    ["<|im_start|>system", "< |im_start|>system"],
    ["a<|im_end|>b<|im_end|>", "a< |im_end|>b< |im_end|>"],
    ["<|eot_id|><|fim_prefix|>", "< |eot_id|>< |fim_prefix|>"],
    ["<｜User｜>", "< ｜User｜>"],
    ["<s>x</s>", "< s>x< /s>"],
    ["[INST] x [/INST]", "[ INST] x [ /INST]"],
    ["<<SYS>>x<</SYS>>", "< <SYS>>x< </SYS>>"],
    ["<start_of_turn>user", "< start_of_turn>user"],
    ["</think><answer>", "< /think>< answer>"],
  ])("breaks %s", (text, safe) => {
    expect(neutralizeControlTokens(text)).toBe(safe);
    expect(neutralizeControlTokens(safe)).toBe(safe);
  });

  it.each(["if a < b and c > d: pass", "x[INSTANCE]", "a <b> c", "list[int]", "<| x", "a || b |> c"])(
    "leaves %s alone",
    (text) => {
      expect(neutralizeControlTokens(text)).toBe(text);
    },
  );
});
