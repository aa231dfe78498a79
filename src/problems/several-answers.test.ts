import { describe, expect, it } from "vitest";
import { freedomIn } from "./several-answers.ts";

describe("a question", () => {
  it.each([
    "If there are many possible answers, you may print any of them.",
    "Print any such permutation.",
    "Find any such sequence.",
    "If there are several solutions, output any.",
    "Return the pairs in any order.",
    "If there is more than one answer, print the one you like.",
    "The order of the elements doesn't matter.",
    "Any valid answer will be accepted.",
    "You can print\nany of these.",
  ])("with a choice is found: %s", (question) => {
    expect(freedomIn(question)).toBeDefined();
  });

  it.each([
    "Print the sum of the numbers.",
    "Return True if any number is even.",
    "Check whether any of the words is longer than n.",
    "If there are several such numbers, print the smallest.",
    "Find the only solution.",
    "You may use any number of operations. Print their number.",
    "Print the answer without any spaces.",
    "Return an empty string if you didn't find any vowel.",
    "Do not print any other text, and don't return any value.",
    "",
  ])("without one is not: %s", (question) => {
    expect(freedomIn(question)).toBeUndefined();
  });
});
