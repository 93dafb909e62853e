// Parts of forms.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { exact } from "./format.ts";
import { parseSize } from "./planner/planner.js";
import { atFault, FieldProblem } from "./problem.tsx";
import { problemOf } from "./protocol.ts";

interface Labelled {
  id: string;
  label: string;
  help?: string;
  /** The field's name in requests, for the planner's errors. */
  field?: string;
  device?: number;
}

function Frame({ id, label, help, field, device, error, children }: Labelled & { error?: string | undefined; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {help !== undefined && <p class="help" id={`${id}-help`}>{help}</p>}
      {error !== undefined && <p class="field-problem" id={`${id}-problem`} role="alert">{error}</p>}
      {error === undefined && field !== undefined && <FieldProblem field={field} id={`${id}-problem`} {...(device === undefined ? {} : { device })} />}
    </div>
  );
}

function describedBy({ id, help, field, device }: Labelled, error: string | undefined): { "aria-describedby"?: string; "aria-invalid"?: true } {
  const wrong = error !== undefined || (field !== undefined && atFault(field, device));
  const names = [help === undefined ? "" : `${id}-help`, wrong ? `${id}-problem` : ""].filter((name) => name !== "");
  return { ...(names.length > 0 ? { "aria-describedby": names.join(" ") } : {}), ...(wrong ? { "aria-invalid": true as const } : {}) };
}

/** A text that `read` must understand. What it does not stays in the field, with the reason below it, and changes nothing. */
function Draft<T>({ value, shown, read, onChange, ...labelled }: Labelled & { value: T; shown: string; read(text: string): T; onChange(value: T): void }) {
  const [draft, setDraft] = useState<{ text: string; error?: string | undefined; of: T } | undefined>(undefined);
  const mine = draft !== undefined && draft.of === value ? draft : undefined;
  const type = (text: string) => {
    try {
      const next = read(text);
      setDraft({ text, of: next });
      if (next !== value) onChange(next);
    } catch (error) {
      setDraft({ text, error: problemOf(error).message, of: value });
    }
  };
  return (
    <Frame {...labelled} error={mine?.error}>
      <input id={labelled.id} type="text" inputMode="text" autocomplete="off" spellcheck={false} value={mine?.text ?? shown} onInput={(event) => type(event.currentTarget.value)} onBlur={() => mine?.error === undefined && setDraft(undefined)} {...describedBy(labelled, mine?.error)} />
    </Frame>
  );
}

/** A size as people write it. */
export function SizeField({ optional, ...rest }: Labelled & { value: bigint | undefined; optional?: boolean; onChange(value: bigint | undefined): void }) {
  const read = (text: string) => (text.trim() === "" && optional === true ? undefined : parseSize(text));
  return <Draft<bigint | undefined> {...rest} shown={rest.value === undefined ? "" : exact(rest.value)} read={read} />;
}

/** A text in the notation that `read` brings it to; an empty one stands for itself. */
export function DraftField({ read, ...rest }: Labelled & { value: string; read(text: string): string; onChange(value: string): void }) {
  return <Draft<string> {...rest} shown={rest.value} read={(text) => (text.trim() === "" ? "" : read(text))} />;
}

export function TextField({ value, onChange, ...labelled }: Labelled & { value: string; onChange(value: string): void }) {
  return (
    <Frame {...labelled}>
      <input id={labelled.id} type="text" autocomplete="off" spellcheck={false} value={value} onInput={(event) => onChange(event.currentTarget.value)} {...describedBy(labelled, undefined)} />
    </Frame>
  );
}

export function ChoiceField({ value, options, onChange, ...labelled }: Labelled & { value: string; options: { value: string; label: string }[]; onChange(value: string): void }) {
  return (
    <Frame {...labelled}>
      <select id={labelled.id} value={value} onChange={(event) => onChange(event.currentTarget.value)} {...describedBy(labelled, undefined)}>
        {options.map((option) => <option key={option.value} value={option.value}>{option.label}</option>)}
      </select>
    </Frame>
  );
}

export function Check({ id, label, help, checked, disabled, onChange }: { id: string; label: string; help?: string; checked: boolean; disabled?: boolean; onChange(checked: boolean): void }) {
  return (
    <div class="check">
      <input id={id} type="checkbox" checked={checked} disabled={disabled ?? false} onChange={(event) => onChange(event.currentTarget.checked)} {...(help === undefined ? {} : { "aria-describedby": `${id}-help` })} />
      <label for={id}>{label}</label>
      {help !== undefined && <p class="help" id={`${id}-help`}>{help}</p>}
    </div>
  );
}
