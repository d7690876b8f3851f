import './page.css'

const curl = document.getElementById('curl')
// A quote in the address must not end that of the command.
const address = location.href.replaceAll("'", '%27')
if (curl) curl.textContent = `curl -H "Authorization: Bearer $TOKEN" '${address}'`
