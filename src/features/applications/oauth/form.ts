import type { FieldError, Refusal } from '../../../engine/errors.ts'
import { Html, html } from '../../../engine/http/html.ts'

/** What is wrong with what somebody entered: as a whole, and by the names of fields. */
export type Problem = {
  readonly message: string
  readonly errors?: readonly FieldError[] | undefined
  /** After how many seconds to try again. */
  readonly retryAfter?: number | undefined
}

/** What a refusal says of what was entered. */
export const problemIn = ({ message, details: { errors, retryAfter } }: Refusal): Problem => ({
  message,
  errors,
  retryAfter,
})

/** Whether a refusal names a field. */
export const names = ({ details }: Refusal, name: string): boolean =>
  details.errors?.some(({ field }) => field === name) ?? false

/** The problem of a form that no field shows. */
export const problemText = (message: string | undefined) => (message ? html`<p role="alert">${message}</p>` : undefined)

/** A text to enter. */
type Field = {
  /** Its name in the form, which errors name. */
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  readonly attributes: Html
  readonly isRequired?: boolean
  /** How many lines of a longer text are visible. */
  readonly rows?: number
}

/** A form: its fields with other markup between them, and what its only button says. */
type Form = {
  readonly action: string
  readonly problem?: Problem | undefined
  readonly hidden?: Readonly<Record<string, string>>
  readonly parts: readonly (Field | Html)[]
  readonly button: string
  /** Whether no field has the focus at first, because people read the page before. */
  readonly hasNoFocus?: boolean
  /** Whether the page has a more important button. */
  readonly isSecondary?: boolean
}

/** Inputs that nobody sees. */
export const hiddenFields = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** A field with its label and its errors, which call it `This`. */
function fieldMarkup(
  { name, label, value, attributes, isRequired, rows }: Field,
  wrong: readonly string[],
  isFirst: boolean,
): Html {
  const id = `wrong-${name}`
  const state = wrong.length > 0 ? html` aria-invalid="true" aria-describedby="${id}"` : undefined
  const all = html`${attributes}${isRequired ? ' required' : undefined}${isFirst ? ' autofocus' : undefined}${state}`
  const input = rows
    ? html`<textarea name="${name}" rows="${String(rows)}" ${all}>${value}</textarea>`
    : html`<input name="${name}"${value === undefined ? undefined : html` value="${value}"`} ${all}>`
  return html`<p><label>${label} ${input}</label>${
    wrong.length > 0
      ? html`<span role="alert" id="${id}">${wrong.map((it) => `This ${it}.`).join(' ')}</span>`
      : undefined
  }</p>`
}

/** A form, which works without a script. The first wrong field has the focus. */
export function formMarkup(form: Form): Html {
  const { action, hidden = {}, parts, button, hasNoFocus, isSecondary, problem } = form
  const errors = problem?.errors ?? []
  const wrongOf = (part: Field) => errors.filter(({ field }) => field === part.name).map(({ message }) => message)
  const fields = parts.flatMap((part) => (part instanceof Html ? [] : part))
  const first = fields.find((field) => wrongOf(field).length > 0) ?? (hasNoFocus ? undefined : fields[0])
  const others = errors.filter(({ field }) => !fields.some(({ name }) => name === field))
  const whole =
    errors.length > 0 ? others.map(({ field, message }) => `The ${field} ${message}.`).join(' ') : problem?.message
  return html`<form method="post" action="${action}">${hiddenFields(hidden)}
${parts.map((part) => (part instanceof Html ? part : fieldMarkup(part, wrongOf(part), part === first)))}
${problemText(whole)}
<p><button${isSecondary ? html` class="secondary"` : undefined}>${button}</button></p></form>`
}
