import { report } from '../documents.ts'
import { attempt, element } from '../dom.ts'
import { run } from '../graphql.ts'
import { type Choice, say } from './menu.ts'

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
