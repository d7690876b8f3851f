import './bar.ts'
import './about.css'
