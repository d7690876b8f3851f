import type { FieldError, Refusal } from '../../../engine/errors.ts'
import { Html, html } from '../../../engine/http/html.ts'

/** What is wrong with what somebody entered: as a whole, and by the names of fields. */
export type Problem = { readonly problem?: string | undefined; readonly errors?: readonly FieldError[] | undefined }

/** What a refusal says of what was entered. */
export const problemIn = ({ message, details }: Refusal) => ({ problem: message, errors: details.errors })

/** The problem of a form that no field shows. */
export const problemText = (problem: string | undefined) => (problem ? html`<p role="alert">${problem}</p>` : undefined)

/** A text to enter. */
type Field = {
  /** Its name in the form, which errors name. */
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  readonly attributes: Html
  /** How many lines of a longer text are visible. */
  readonly rows?: number
}

/** A form: its fields with other markup between them, and what its only button says. */
type Form = Problem & {
  readonly action: string
  readonly hidden?: Readonly<Record<string, string>>
  readonly parts: readonly (Field | Html)[]
  readonly button: string
  /** Whether the page is read before the form is filled in, so that it does not begin there. */
  readonly readsFirst?: boolean
  /** Whether something else on the page is what it is for. */
  readonly isSecondary?: boolean
}

/** Inputs that nobody sees. */
export const hiddenFields = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** A field with its label, and with what is wrong with it, in which its label is `This`. */
function fieldMarkup(
  { name, label, value, attributes, rows }: Field,
  wrong: readonly string[],
  isFirst: boolean,
): Html {
  const id = `wrong-${name}`
  const state = wrong.length > 0 ? html` aria-invalid="true" aria-describedby="${id}"` : undefined
  const focus = isFirst ? ' autofocus' : undefined
  const input = rows
    ? html`<textarea name="${name}" rows="${String(rows)}" ${attributes}${focus}${state}>${value}</textarea>`
    : html`<input name="${name}"${value === undefined ? undefined : html` value="${value}"`} ${attributes}${focus}${state}>`
  return html`<p><label>${label} ${input}</label>${
    wrong.length > 0
      ? html`<span role="alert" id="${id}">${wrong.map((it) => `This ${it}.`).join(' ')}</span>`
      : undefined
  }</p>`
}

/** A form, which works without a script. The page begins at the first field that is wrong. */
export function formMarkup(form: Form): Html {
  const { action, hidden = {}, parts, button, readsFirst, isSecondary, problem, errors = [] } = form
  const wrongOf = (part: Field) => errors.filter(({ field }) => field === part.name).map(({ message }) => message)
  const fields = parts.flatMap((part) => (part instanceof Html ? [] : part))
  const first = fields.find((field) => wrongOf(field).length > 0) ?? (readsFirst ? undefined : fields[0])
  const others = errors.filter(({ field }) => !fields.some(({ name }) => name === field))
  const whole = errors.length > 0 ? others.map(({ field, message }) => `The ${field} ${message}.`).join(' ') : problem
  return html`<form method="post" action="${action}">${hiddenFields(hidden)}
${parts.map((part) => (part instanceof Html ? part : fieldMarkup(part, wrongOf(part), part === first)))}
${problemText(whole)}
<p><button${isSecondary ? html` class="secondary"` : undefined}>${button}</button></p></form>`
}
