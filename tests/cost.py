import time
def test_x(agent):
    for name, body in {"rows": "".join(f"<tr><td>{i}<td title='Long {i}'>Bob {i}<td><a href=/x{i}>open</a><td><button title=T>E</button></tr>" for i in range(800)), "plain": "".join(f"<p class=a{i}>Some <b>text</b> {i} <a href=/{i}>x</a></p>" for i in range(1500)), "grid": "<tr>"+"".join(f"<td><a href=#{i}>{i}</a>" for i in range(10))+"</tr>"}.items():
        agent.show(f"<table role={'grid' if name=='grid' else 'table'}>{body*(60 if name=='grid' else 1)}</table>" if name!="plain" else body)
        t=[]
        for _ in range(25):
            a=time.perf_counter(); r=agent("browser_snapshot"); t.append(time.perf_counter()-a)
        print("COST", name, round(sorted(t)[8]*1000,1), "ms", len(r.text))
