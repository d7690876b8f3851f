import { deletePost, type Item, sendPost, updatePost } from '../documents.ts'
import { attempt, element } from '../dom.ts'
import { run } from '../graphql.ts'

/** Draws a form for a text, with its label and what the button says. */
export function drawForm(
  label: string,
  submit: (text: string) => Promise<void>,
  { start = '', action = label } = {},
): HTMLFormElement {
  const text = element('textarea', { rows: 3, placeholder: 'Up to 500 characters', ariaLabel: label, dir: 'auto' })
  const button = element('button', {}, action)
  const form = element('form', {}, text, button)
  text.value = start
  form.onsubmit = (event) => {
    event.preventDefault()
    attempt(button, async () => {
      if (text.value.trim() === '') throw new Error('Write something first.')
      await submit(text.value)
      text.value = ''
    })
  }
  return form
}

/** Sends a post, or with `parent` a reply. */
export async function send(content: string, parent: string | null) {
  const { sendPost: sent } = await run(sendPost, { input: { content, parent } })
  return { parent: null, ...sent.publication }
}

/** Draws the form that edits an item, unless it was edited elsewhere since it was read. */
export function drawEdit({ uuid, content, createdAt, editedAt }: Item, edited: (item: Item) => void): HTMLElement {
  const submit = async (text: string) => {
    const input = { uuid, content: text, ifUnchangedSince: editedAt ?? createdAt }
    edited((await run(updatePost, { input })).updatePost.publication)
  }
  return drawForm('Edit', submit, { start: content, action: 'Save' })
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
