import { deletePost, type Item, report, sendPost, updatePost } from '../documents.ts'
import { attempt, element } from '../dom.ts'
import { Refused, run } from '../graphql.ts'
import type { AudienceField } from './audience.ts'
import { type Choice, say } from './controls.ts'
import { drawWarningField } from './warning.ts'

/** What somebody writes in a form. An empty warning is none. */
export type Draft = { readonly content: string; readonly warning: string }

type FormOptions = {
  readonly start?: Draft
  readonly action?: string
  readonly audience?: AudienceField
  readonly quoted?: Node
}

/** Draws a form for a text and its warning, with its label, what the button says, the choice of an audience, and what is quoted. */
export function drawForm(
  label: string,
  submit: (draft: Draft) => Promise<void>,
  { start = { content: '', warning: '' }, action = label, audience, quoted }: FormOptions = {},
): HTMLFormElement {
  const text = element('textarea', { rows: 3, placeholder: 'Up to 500 characters', ariaLabel: label, dir: 'auto' })
  const { field, input } = drawWarningField(start.warning)
  const button = element('button', {}, action)
  const select = audience?.select
  const row = element('p', { className: 'send' }, select ?? '', button)
  const form = element('form', {}, field, text, quoted ?? '', row)
  const places: Readonly<Record<string, HTMLElement | undefined>> = { audience: select, warning: input }
  const placeOf = (error: unknown) => (error instanceof Refused && places[error.fields[0]?.field ?? '']) || button
  text.value = start.content
  form.onsubmit = (event) => {
    event.preventDefault()
    const send = async () => {
      if (text.value.trim() === '') throw new Error('Write something first.')
      await submit({ content: text.value, warning: input.value })
      form.reset()
    }
    attempt(button, send, placeOf)
  }
  return form
}

/** Sends a post, or with `parent` a reply. */
export async function send(
  draft: Draft,
  about: { readonly parent?: string; readonly quote?: string },
  { chosen }: AudienceField,
) {
  const { sendPost: sent } = await run(sendPost, { input: { ...draft, ...about, audience: chosen() } })
  return { parent: null, ...sent.publication }
}

/** Draws the form that edits an item, unless it was edited elsewhere since it was read. */
export function drawEdit(item: Item, edited: (item: Item) => void): HTMLElement {
  const { uuid, content, warning, createdAt, editedAt } = item
  const submit = async (draft: Draft) => {
    const input = { uuid, ...draft, ifUnchangedSince: editedAt ?? createdAt }
    edited((await run(updatePost, { input })).updatePost.publication)
  }
  return drawForm('Edit', submit, { start: { content, warning: warning ?? '' }, action: 'Save' })
}

/** Draws what asks before an item is deleted. */
export function drawDelete(uuid: string, deleted: () => void): HTMLElement {
  const button = element('button', { className: 'danger' }, 'Delete')
  button.onclick = () =>
    attempt(button, async () => {
      await run(deletePost, { input: { uuid } })
      deleted()
    })
  return element('div', { className: 'ask' }, element('span', {}, 'Delete this? It cannot be restored.'), button)
}

const reasons = [
  ['SPAM', 'Spam'],
  ['ABUSE', 'Abuse'],
  ['ILLEGAL', 'Illegal'],
  ['OTHER', 'Other'],
] as const

/** What a menu offers about what can be reported: a post, a reply or an account. */
export const reportChoice = (uuid: string): Choice => ({
  text: 'Report…',
  choose: () =>
    new Promise((resolve) => {
      const dialog = drawDialog(uuid)
      dialog.onclose = () => {
        dialog.remove()
        resolve()
      }
      document.body.append(dialog)
      dialog.showModal()
    }),
})

function drawDialog(uuid: string): HTMLDialogElement {
  const reason = element('select', {}, ...reasons.map(([, text]) => element('option', {}, text)))
  const comment = element('textarea', { rows: 3, placeholder: 'Optional', dir: 'auto' })
  const submit = element('button', {}, 'Report')
  const cancel = element('button', { type: 'button' }, 'Cancel')
  const labels = [element('label', {}, 'Reason ', reason), element('label', {}, 'Comment ', comment)]
  const form = element(
    'form',
    {},
    element('h2', {}, 'Report'),
    ...labels,
    element('p', { className: 'buttons' }, submit, cancel),
  )
  const dialog = element('dialog', { id: 'report', className: 'own card', ariaLabel: 'Report' }, form)
  cancel.onclick = () => dialog.close()
  form.onsubmit = (event) => {
    event.preventDefault()
    attempt(submit, async () => {
      const [chosen] = reasons[reason.selectedIndex] ?? reasons[0]
      await run(report, { input: { uuid, reason: chosen, comment: comment.value.trim() || null } })
      dialog.close()
      say('Reported. Moderators will look at it.')
    })
  }
  return dialog
}
