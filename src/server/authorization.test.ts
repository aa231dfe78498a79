import { describe, expect, it } from "vitest";
import { isAuthorized, isLoopback, requireToken } from "./authorization.ts";

const basic = (login: string) => `Basic ${Buffer.from(login).toString("base64")}`;

describe("isLoopback", () => {
  it.each(["localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]", "api.localhost"])("knows %s", (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(["0.0.0.0", "::", "192.168.0.1", "127.evil.example", "localhost.evil.example", "10.0.0.127", ""])(
    "does not take %s for it",
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});

describe("requireToken", () => {
  it("demands a token anywhere but on loopback", () => {
    expect(requireToken("127.0.0.1", undefined)).toBeUndefined();
    expect(requireToken("0.0.0.0", "secret")).toBe("secret");
    for (const nothing of [undefined, ""]) {
      expect(() => requireToken("0.0.0.0", nothing)).toThrow(
        expect.objectContaining({ code: "token-required", hint: expect.stringContaining("SPARRING_TOKEN") }),
      );
    }
  });

  it("refuses a token that no header could carry", () => {
    expect(() => requireToken("127.0.0.1", "two words")).toThrow(
      expect.objectContaining({ code: "token-invalid" }),
    );
  });
});

describe("isAuthorized", () => {
  it("takes the token as bearer or as the password of a login", () => {
    for (const authorization of ["Bearer s:cret", "bearer s:cret", basic("me:s:cret"), basic(":s:cret")]) {
      expect(isAuthorized({ authorization, host: "machine" }, "s:cret"), authorization).toBe(true);
    }
  });

  it("takes nothing else", () => {
    const wrong = [
      undefined,
      "",
      "s:cret",
      "Bearer",
      "Bearer ",
      "Bearer s:cre",
      "Bearer s:crets",
      basic("s:cret"),
    ];
    for (const authorization of [...wrong, basic("nocolon"), "Digest s:cret"]) {
      expect(isAuthorized({ authorization, host: "127.0.0.1" }, "s:cret"), authorization).toBe(false);
    }
  });

  it("without a token answers only what was sent to a loopback name", () => {
    for (const host of ["127.0.0.1:8080", "localhost", "[::1]:8080"]) {
      expect(isAuthorized({ authorization: undefined, host }, undefined)).toBe(true);
    }
    for (const host of [undefined, "", "evil.example:8080", "127.0.0.1.evil.example"]) {
      expect(isAuthorized({ authorization: undefined, host }, undefined)).toBe(false);
    }
  });
});
