import { describe, expect, it } from "vitest";
import { dayAfter, isAdultOn, isDay } from "~/features/consent/consent";
import { readPerformer } from "~/features/consent/performer-action.server";

describe("dates in consent records", () => {
  it.each([
    ["2000-06-15", "2018-06-14", false],
    ["2000-06-15", "2018-06-15", true],
    ["2004-02-29", "2022-02-28", false],
    ["2004-02-29", "2022-03-01", true],
    ["1999-12-31", "2017-12-30", false],
    ["1999-12-31", "2017-12-31", true],
  ])("determine whether someone born on %s is an adult on %s: %s", (born, day, isAdult) => {
    expect(isAdultOn(born, day)).toBe(isAdult);
  });

  it("must be valid calendar dates", () => {
    expect(["2024-02-29", "1900-01-01", "2030-12-31"].every(isDay)).toBe(true);
    const none = ["2023-02-29", "1899-12-31", "2024-13-01", "24-01-01", "", "2024-1-1", "x"];
    expect(none.filter(isDay)).toEqual([]);
  });

  it("are calculated correctly across the end of a month", () => {
    expect(dayAfter(Date.parse("2026-01-31T23:59:59Z"), 1)).toBe("2026-02-01");
  });
});

describe("the performer form", () => {
  const typed = {
    stageNames: "Jane  Doe\r\n\r\nJane Doe\nJ.",
    legalName: " Erika   Mustermann ",
    dateOfBirth: "1990-01-02",
    documentKind: "passport",
    checkedOn: "2026-01-01",
  };

  it("is parsed into normalized values", () => {
    expect(readPerformer(typed, "2026-01-02")).toEqual({
      performer: {
        stageNames: ["Jane Doe", "J."],
        legalName: "Erika Mustermann",
        dateOfBirth: "1990-01-02",
        documentKind: "passport",
        checkedOn: "2026-01-01",
      },
    });
  });

  it("returns an error for each invalid field", () => {
    const wrong = {
      stageNames: " \n",
      legalName: "",
      dateOfBirth: "2026-02-30",
      documentKind: "nonsense",
      checkedOn: "2026-01-03",
    };
    const read = readPerformer(wrong, "2026-01-02");
    expect(Object.keys("errors" in read ? read.errors : {}).sort()).toEqual([
      "checkedOn",
      "dateOfBirth",
      "legalName",
      "stageNames",
    ]);
    expect(readPerformer({ ...typed, documentKind: "" }, "2026-01-02")).toEqual({
      errors: { documentKind: "Please choose the document that was checked." },
    });
    const born = { ...typed, dateOfBirth: "2026-01-03", stageNames: "a".repeat(101) };
    expect(readPerformer(born, "2026-01-02")).toHaveProperty("errors.dateOfBirth");
    expect(readPerformer(born, "2026-01-02")).toHaveProperty("errors.stageNames");
  });
});
